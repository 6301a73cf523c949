// A headless Firefox driven over its own protocol, Marionette, on a local port: nothing but node's own modules.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf"; // WebDriver's name of a reference to an element

// A port that is free, no welcome page, no updates; what pages say on their consoles goes to the standard output.
const preferences = { "marionette.port": 0, "devtools.console.stdout.content": true, "devtools.console.stdout.chrome": false, "browser.shell.checkDefaultBrowser": false, "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false, "app.update.enabled": false, "app.normandy.enabled": false };

class Firefox {
  // Opens a file from the disk.
  async open(command, file, { width = 1280, height = 900 } = {}) {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
    fs.writeFileSync(path.join(this.profile, "user.js"),
      Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(""));
    this.child = spawn(command, ["--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", this.profile],
      { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, HOME: this.profile, MOZ_HEADLESS_WIDTH: width, MOZ_HEADLESS_HEIGHT: height } });
    this.said = "";
    this.child.stdout.on("data", (part) => { this.said += part; });
    this.ended = new Promise((resolve) => this.child.on("exit", resolve));
    await this.connect();
    await this.send("WebDriver:NewSession", {});
    await this.send("WebDriver:SetWindowRect", { width, height });
    this.address = pathToFileURL(file).href;
    await this.send("WebDriver:Navigate", { url: this.address });
  }

  async connect() {
    const told = path.join(this.profile, "MarionetteActivePort");
    for (let tries = 0; tries < 1200 && !(fs.existsSync(told) && fs.readFileSync(told, "utf8")); tries++) await pause(50);
    this.waiting = new Map();
    this.number = 0;
    this.socket = net.connect(Number(fs.readFileSync(told, "utf8")), "127.0.0.1");
    const greeted = new Promise((resolve) => this.waiting.set("greeting", { resolve }));
    let rest = Buffer.alloc(0);
    this.socket.on("error", () => {});
    this.socket.on("data", (part) => {
      rest = Buffer.concat([rest, part]);
      for (let colon; (colon = rest.indexOf(":")) >= 0;) { // LENGTH:JSON
        const end = colon + 1 + Number(rest.subarray(0, colon));
        if (rest.length < end) return;
        this.hear(JSON.parse(rest.subarray(colon + 1, end)));
        rest = rest.subarray(end);
      }
    });
    await greeted;
  }

  hear(message) {
    const [, id, error, result] = Array.isArray(message) ? message : [1, "greeting", null, message];
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) reject(new Error(`${error.error}: ${error.message}`));
    else resolve(result);
  }

  send(name, params = {}) {
    const id = ++this.number, text = JSON.stringify([0, id, name, params]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // The value of an expression beside the page: of its document, not of its script's variables.
  async run(expression) {
    return (await this.send("WebDriver:ExecuteScript", { script: `return (${expression});`, args: [] })).value;
  }

  async click(selector) {
    const { value } = await this.send("WebDriver:FindElement", { using: "css selector", value: selector });
    await this.send("WebDriver:ElementClick", { id: value[ELEMENT] });
  }

  // Waits until an expression is true, and returns the milliseconds.
  async until(expression, most = 30000) {
    const begin = performance.now();
    while (!(await this.run(expression))) {
      if (performance.now() - begin > most) throw new Error(`${expression} is not true after ${most} ms`);
      await pause(50);
    }
    return performance.now() - begin;
  }

  // What the page and its worker have said on the console; errors and refused loads, of which the browser itself
  // knows.
  async complaints() {
    await this.send("Marionette:SetContext", { value: "chrome" });
    const errors = await this.run(`Services.console.getMessageArray()
      .filter((one) => one instanceof Ci.nsIScriptError && !/^(chrome|resource|moz-[a-z-]+):/.test(one.sourceName)).map((one) => one.errorMessage)`);
    await this.send("Marionette:SetContext", { value: "content" });
    return [...errors, ...this.said.split("\n").filter((line) => /^console\.(?!error: RSLoader)/.test(line))]; // of its updates
  }

  async picture(file) {
    const { value } = await this.send("WebDriver:TakeScreenshot", { full: false });
    fs.writeFileSync(file, Buffer.from(value, "base64"));
  }

  async close() {
    if (this.socket) this.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
    else this.child?.kill();
    await this.ended;
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

module.exports = { Firefox };
