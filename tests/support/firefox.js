// A headless Firefox driven over its own protocol, Marionette, on a local port: nothing but node's
// own modules. One page at a time, with what browser.js has of Chromium's pages.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { Page, inPage } = require("./browser.js");

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const KEYS = {
  Escape: "\uE00C",
  Tab: "\uE004",
  Enter: "\uE007",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
}; // WebDriver's names
// A program in the page, whatever its policy, by the debugger: the value of its last expression, a
// promise awaited.
const EVALUATE = `const [program, done] = arguments;
  ChromeUtils.importESModule("resource://gre/modules/jsdebugger.sys.mjs").addDebuggerToGlobal(globalThis);
  const { throw: thrown, return: value } = new Debugger().addDebuggee(window).executeInGlobal(program), plain = (given) => given?.unsafeDereference?.() ?? given;
  if (thrown) done({ error: String(plain(thrown)) });
  else Promise.resolve(plain(value)).then((given) => done({ json: JSON.stringify(given) }), (error) => done({ error: String(error) }));`;

// A port that is free, no welcome page, no updates; what pages say on their consoles goes to the
// standard output.
const preferences = {
  "marionette.port": 0,
  "devtools.console.stdout.content": true,
  "devtools.console.stdout.chrome": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.update.enabled": false,
  "app.normandy.enabled": false,
  "full-screen-api.enabled": false,
}; // no size can be set there

class Firefox extends Page {
  async start(command) {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
    fs.writeFileSync(
      path.join(this.profile, "user.js"),
      Object.entries(preferences)
        .map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
        .join(""),
    );
    this.child = spawn(
      command,
      [
        "--headless",
        "--no-remote",
        "--marionette",
        "--remote-allow-system-access",
        "--profile",
        this.profile,
      ],
      { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, HOME: this.profile } },
    );
    this.said = "";
    this.child.stdout.on("data", (part) => {
      this.said += part;
    });
    this.ended = new Promise((resolve) => this.child.on("exit", resolve));
    await this.connect();
    await this.send("WebDriver:NewSession", {});
  }

  // Opens a file from the disk.
  async open(file, { width = 1280, height = 720 } = {}) {
    await this.send("WebDriver:Navigate", { url: pathToFileURL(file).href });
    await this.resize(width, height);
    return this;
  }

  async connect() {
    const told = path.join(this.profile, "MarionetteActivePort");
    for (
      let tries = 0;
      tries < 1200 && !(fs.existsSync(told) && fs.readFileSync(told, "utf8"));
      tries++
    )
      await pause(50);
    this.waiting = new Map();
    this.number = 0;
    this.socket = net.connect(Number(fs.readFileSync(told, "utf8")), "127.0.0.1");
    const greeted = new Promise((resolve) => this.waiting.set("greeting", { resolve }));
    let rest = Buffer.alloc(0);
    this.socket.on("error", () => {});
    this.socket.on("data", (part) => {
      rest = Buffer.concat([rest, part]);
      for (let colon; (colon = rest.indexOf(":")) >= 0;) {
        // LENGTH:JSON
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
    const id = ++this.number;
    const text = JSON.stringify([0, id, name, params]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async run(program) {
    const { error, json } = (
      await this.send("WebDriver:ExecuteAsyncScript", {
        script: EVALUATE,
        args: [inPage(program)],
        sandbox: "system",
        newSandbox: false,
      })
    ).value;
    if (error) throw new Error(`${program}: ${error}`);
    return json === undefined ? json : JSON.parse(json);
  }

  // The page's part of the window, which itself is at least 500 wide.
  async resize(width, height) {
    await this.send("WebDriver:SetWindowRect", {
      width: Math.max(width, 500),
      height: height + 200,
    });
    await this.send("Marionette:SetContext", { value: "chrome" });
    await this.send("WebDriver:ExecuteScript", {
      args: [width, height],
      script: `const { style } = gBrowser.selectedBrowser;
      [style.minWidth, style.minHeight] = [style.maxWidth, style.maxHeight] = [...arguments].slice(0, 2).map((size) => size + "px");`,
    });
    await this.send("Marionette:SetContext", { value: "content" });
    await this.until(`innerWidth === ${width} && innerHeight === ${height}`, 5000);
  }

  pointer(at, ...acts) {
    const move = { type: "pointerMove", x: Math.floor(at.x), y: Math.floor(at.y) };
    return this.send("WebDriver:PerformActions", {
      actions: [
        {
          type: "pointer",
          id: "mouse",
          actions: [move, ...acts.map((type) => ({ type, button: 0 }))],
        },
      ],
    });
  }

  async hover(selector) {
    await this.pointer(await this.place(selector));
  }

  press(place) {
    return this.pointer(place, "pointerDown", "pointerUp");
  }

  key(key) {
    return this.send("WebDriver:PerformActions", {
      actions: [
        {
          type: "key",
          id: "keys",
          actions: ["keyDown", "keyUp"].map((type) => ({ type, value: KEYS[key] ?? key })),
        },
      ],
    });
  }

  // What the page and its worker have said on the console; errors and refused loads, of which the
  // browser itself knows.
  async heard() {
    await this.send("Marionette:SetContext", { value: "chrome" });
    const { value: errors } = await this.send("WebDriver:ExecuteScript", {
      args: [],
      script: `return Services.console.getMessageArray()
      .filter((one) => one instanceof Ci.nsIScriptError && !/^(chrome|resource|moz-[a-z-]+):/.test(one.sourceName)).map((one) => one.errorMessage).filter((text) => !/fullscreen was denied/.test(text))`,
    });
    await this.send("Marionette:SetContext", { value: "content" });
    return [
      ...errors,
      ...this.said.split("\n").filter((line) => /^console\.(?!error: RSLoader)/.test(line)),
    ]; // of its updates
  }

  async close() {
    if (this.socket) this.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
    else this.child?.kill();
    await this.ended;
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

module.exports = { Firefox };
