// softalign playground [--port N] [--no-open]: serves the page to this computer's browser.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";

const OPENERS = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] };

function openBrowser(address) {
  const [program, ...words] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
  child.on("error", () => {}); // the address stands in the terminal
  child.unref();
}

export default function playground(args) {
  const usage = /^(?:--port=(\d{1,5}) ?)?(--no-open)?$/.exec(
    args.join(" ").replace("--port ", "--port="),
  );
  if (!usage || usage[1] > 65535) {
    console.error(
      "softalign: usage: softalign playground [--port N] [--no-open], N from 0 to 65535",
    );
    process.exitCode = 2;
    return;
  }
  const page = fs.readFileSync(new URL("playground.html", import.meta.url));
  const server = http.createServer((request, response) => {
    const found = request.url === "/";
    response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(found ? page : "");
  });
  server.on("error", ({ code }) => {
    console.error(`softalign: cannot listen on port ${usage[1]}: ${code}`);
    process.exitCode = 4;
  });
  server.listen(Number(usage[1] ?? 0), "127.0.0.1", () => {
    const address = `http://127.0.0.1:${server.address().port}/`;
    console.log(`The playground is at ${address} until Ctrl-C.`);
    if (!usage[2]) openBrowser(address);
  });
}
