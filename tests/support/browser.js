// A headless Chromium driven over its DevTools protocol through a pipe: nothing but node's own
// modules, no port. Whatever a page asks for or complains about is kept.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

// A program of a test, which sees what the page exports.
const inPage = (program) => `with (globalThis.softalign ?? {}) { ${program} }`;

class Browser {
  constructor() {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
    this.child = spawn(
      process.env.CHROMIUM || "chromium-headless-shell",
      [
        "--headless",
        "--remote-debugging-pipe",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-dev-shm-usage",
        // Without windows, the renderer would end at the first trap of a module.
        "--disable-features=WebAssemblyTrapHandler",
        `--user-data-dir=${this.profile}`,
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    this.waiting = new Map();
    this.number = 0;
    this.pages = new Map();
    let rest = Buffer.alloc(0);
    this.child.stdio[4].on("data", (part) => {
      rest = Buffer.concat([rest, part]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
        this.hear(JSON.parse(rest.subarray(0, end)));
    });
    this.child.stdio[3].on("error", () => {});
    this.ended = new Promise((resolve) => this.child.on("exit", resolve));
  }

  hear(message) {
    const waiting = this.waiting.get(message.id);
    if (waiting) {
      this.waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result);
    } else this.pages.get(message.sessionId)?.hear(message);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.number;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
  }

  // Opens a file from the disk, or an address, and waits until it has loaded.
  async open(file, { width = 1280, height = 720 } = {}) {
    const { targetId } = await this.send("Target.createTarget", {
      url: "about:blank",
      browserContextId: this.context,
    });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.pages.set(sessionId, page);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    await page.resize(width, height);
    const loaded = page.once("Page.loadEventFired");
    const begin = performance.now();
    await page.send("Page.navigate", {
      url: /^http:/.test(file) ? file : pathToFileURL(file).href,
    });
    await loaded;
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    page.milliseconds = performance.now() - begin;
    return page;
  }

  async close() {
    this.send("Browser.close").catch(() => {});
    await this.ended;
    for (let tries = 0; tries < 20 && fs.existsSync(this.profile); tries++) {
      // its helpers end after it
      try {
        fs.rmSync(this.profile, { recursive: true, force: true });
      } catch {
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  }
}

class Page {
  constructor(browser, session, target) {
    Object.assign(this, {
      browser,
      session,
      target,
      requests: [],
      complaints: [],
      events: new Map(),
    });
  }

  hear({ method, params }) {
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown")
      this.complaints.push(
        params.exceptionDetails.exception?.description ?? params.exceptionDetails.text,
      );
    if (method === "Runtime.consoleAPICalled")
      this.complaints.push(params.args.map((value) => value.value ?? value.description).join(" "));
    if (method === "Log.entryAdded") this.complaints.push(params.entry.text);
    if (method === "Page.javascriptDialogOpening") {
      this.complaints.push(`dialog: ${params.message}`);
      this.send("Page.handleJavaScriptDialog", { accept: false });
    }
    this.events.get(method)?.(params);
  }

  once(method) {
    return new Promise((resolve) => this.events.set(method, resolve));
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  // The value of an expression in the page, a promise awaited.
  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression: inPage(expression),
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(
        [
          `${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
          ...this.complaints.map((text) => `the page: ${text}`),
        ].join("\n"),
      );
    return result.value;
  }

  // A word for each setting: "dark", "light", "print", "screen".
  async look(...words) {
    const scheme = words.find((word) => word === "dark" || word === "light");
    await this.send("Emulation.setEmulatedMedia", {
      media: words.includes("print") ? "print" : "",
      features: scheme ? [{ name: "prefers-color-scheme", value: scheme }] : [],
    });
  }

  resize(width, height) {
    return this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  }

  // The middle of the element in the window, scrolled to. It is asked for frame by frame until it
  // rests there with nothing on it: what the page has just shown moves it when it is drawn.
  async place(selector) {
    const place = await this.run(`(async () => {
      const node = document.querySelector(${JSON.stringify(selector)});
      for (let last = {}, frames = 0; node; frames++) {
        node.scrollIntoView({ block: "center" });
        const box = node.getBoundingClientRect();
        const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        const rests = at.x === last.x && at.y === last.y;
        if ((rests && node.contains(document.elementFromPoint(at.x, at.y))) || frames === 30)
          return at;
        last = at;
        await new Promise(requestAnimationFrame);
      }
      return null; })()`);
    if (!place) throw new Error(`there is no ${selector}`);
    return place;
  }

  async hover(selector) {
    await this.send("Input.dispatchMouseEvent", {
      type: "mouseMoved",
      ...(await this.place(selector)),
    });
  }

  // Clicks on an element, again if it moved away between the look and the click.
  async click(selector) {
    for (let tries = 0; tries < 3; tries++) {
      const place = await this.place(selector);
      await this.run(`{ globalThis.isReached = false;
        const node = document.querySelector(${JSON.stringify(selector)});
        addEventListener("click", ({ target }) => (isReached = node.contains(target)), { capture: true, once: true }); }`);
      await this.press(place);
      if (await this.run("globalThis.isReached !== false")) return; // or another page is open
    }
    throw new Error(`no click reaches ${selector}`);
  }

  async press(place) {
    const at = { ...place, button: "left", clickCount: 1 };
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
  }

  async key(key, modifiers = 0) {
    const codes = {
      Tab: 9,
      Enter: 13,
      Escape: 27,
      " ": 32,
      End: 35,
      Home: 36,
      ArrowLeft: 37,
      ArrowUp: 38,
      ArrowRight: 39,
      ArrowDown: 40,
    };
    const text = { Enter: "\r", " ": " " }[key];
    const event = {
      key,
      code: key === " " ? "Space" : key,
      windowsVirtualKeyCode: codes[key],
      modifiers,
      text,
    };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  // Types a text into an element, in place of what it holds.
  async type(selector, text) {
    await this.run(
      `{ const node = document.querySelector(${JSON.stringify(selector)}); node.focus(); node.select(); }`,
    );
    await this.send("Input.insertText", { text });
  }

  // Chooses a file of the disk in an <input type="file">.
  async choose(selector, file) {
    const { root } = await this.send("DOM.getDocument", { depth: 0 });
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files: [path.resolve(file)] });
  }

  // Waits until an expression is true in the page, and returns the milliseconds. The limit only
  // ends what hangs: other work may slow a page ten times.
  async until(expression, most = 400000) {
    const begin = performance.now();
    while (!(await this.run(expression))) {
      if (performance.now() - begin > most)
        throw new Error(
          `${expression} is not true after ${most} ms; the page says:\n${await this.run("document.body.innerText")}`,
        );
      await new Promise((done) => setTimeout(done, 50));
    }
    return performance.now() - begin;
  }

  async picture(file, whole = false) {
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: whole });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }

  async pdf(file) {
    const { data } = await this.send("Page.printToPDF", {
      preferCSSPageSize: true,
      paperWidth: 8.27,
      paperHeight: 11.69,
    });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}

const TYPES = {
  html: "text/html",
  json: "application/json",
  js: "text/javascript",
  mjs: "text/javascript",
  wasm: "application/wasm",
};

// A server of a folder's files: its address, and close().
async function serve(folder) {
  const server = http.createServer((request, response) => {
    const file = path.join(folder, new URL(request.url, "http://localhost").pathname);
    fs.readFile(file, (error, content) => {
      response.writeHead(error ? 404 : 200, {
        "content-type": TYPES[file.split(".").pop()] ?? "application/octet-stream",
      });
      response.end(content);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => server.close() && server.closeAllConnections?.(),
  };
}

module.exports = { Browser, Page, inPage, serve };
