// What the tests of the playground read and press.
"use strict";
const assert = require("node:assert");

const text = (page, selector) =>
  page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);

const count = (page, selector) =>
  page.run(`document.querySelectorAll(${JSON.stringify(selector)}).length`);

const choose = (page, selector, value) =>
  page.run(`{ const node = document.querySelector(${JSON.stringify(selector)});
  node.value = ${JSON.stringify(value)}; node.dispatchEvent(new Event("input", { bubbles: true })); node.dispatchEvent(new Event("change", { bubbles: true })); }`);

const ready = (page) => page.until(`!byId("start").disabled`);

const said = (page, pattern, what) =>
  page
    .until(`${pattern}.test(byId("message").textContent)`)
    .catch(async () => assert.fail(`${what}: the page says "${await text(page, "#message")}"`));

const last = (what) => `past.moments.at(-1)?.frames[0]?.${what}`;

module.exports = { choose, count, last, ready, said, text };
