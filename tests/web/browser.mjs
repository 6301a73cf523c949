// A page in headless Chromium, driven by its debugging pipe: no package is needed.
//
//   const page = await openPage(url, {width, height});
//   await page.evaluate("1 + 1");  await page.click("#start");  await page.screenshot("file.png");
//   page.requests, page.messages    URLs asked for beside the page; console messages and errors
//   page.close()
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export async function openPage(url, {width = 1024, height = 768, program = "chromium"} = {}) {
  const folder = mkdtempSync(join(tmpdir(), "playground-"));
  const browser = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
    "--remote-debugging-pipe", `--window-size=${width},${height}`, `--user-data-dir=${folder}`],
    {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
  const waiting = new Map(), listeners = [];
  let number = 0, rest = "";
  browser.stdio[4].setEncoding("utf8").on("data", text => {
    const messages = (rest + text).split("\0");
    rest = messages.pop();
    for (const message of messages.map(part => JSON.parse(part))) {
      if (message.id) {
        const {resolve, reject} = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      } else {
        for (const listener of listeners) listener(message);
      }
    }
  });
  let sessionId;
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++number, {resolve, reject});
    browser.stdio[3].write(JSON.stringify({id: number, method, params, sessionId}) + "\0");
  });

  const page = {requests: [], messages: [], send};
  listeners.push(({method, params}) => {
    if (method === "Network.requestWillBeSent") page.requests.push(params.request.url);
    if (method === "Runtime.consoleAPICalled") page.messages.push(params.args.map(a => a.value ?? a.description).join(" "));
    if (method === "Runtime.exceptionThrown") page.messages.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Log.entryAdded") page.messages.push(params.entry.text);
  });
  const {targetId} = await send("Target.createTarget", {url: "about:blank"});
  ({sessionId} = await send("Target.attachToTarget", {targetId, flatten: true}));
  for (const domain of ["Page", "Runtime", "Network", "Log"]) await send(domain + ".enable");
  const size = (width, height) => send("Emulation.setDeviceMetricsOverride",
    {width, height, deviceScaleFactor: 1, mobile: false});
  await size(width, height);
  const loaded = new Promise(resolve => listeners.push(({method}) => method === "Page.loadEventFired" && resolve()));
  await send("Page.navigate", {url});
  await loaded;
  page.requests = page.requests.filter(address => address !== url);

  page.size = size;
  page.evaluate = async expression => {
    const {result, exceptionDetails} = await send("Runtime.evaluate", {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  page.click = async selector => {
    const [x, y] = await page.evaluate(`(() => { const box = document.querySelector(${JSON.stringify(selector)})
      .getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()`);
    for (const type of ["mousePressed", "mouseReleased"])
      await send("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1});
  };
  page.press = async key => {
    for (const type of ["keyDown", "keyUp"])
      await send("Input.dispatchKeyEvent", {type, key, code: key, text: key === "Enter" ? "\r" : key.length === 1 ? key : undefined});
  };
  /* Until the expression is true. */
  page.until = async (expression, seconds = 30) => {
    const end = Date.now() + 1000 * seconds;
    while (!(await page.evaluate(expression))) {
      if (Date.now() > end) throw new Error(`not within ${seconds} s: ${expression}`);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  };
  page.screenshot = async file => {
    const {data} = await send("Page.captureScreenshot", {format: "png"});
    writeFileSync(file, Buffer.from(data, "base64"));
  };
  page.close = async () => {
    const ended = new Promise(resolve => browser.once("exit", resolve));
    browser.kill();
    await ended;
    rmSync(folder, {recursive: true, force: true, maxRetries: 5});
  };
  return page;
}
