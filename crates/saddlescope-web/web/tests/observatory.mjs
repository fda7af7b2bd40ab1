// The program serving a folder, and a browser that looks at it.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { launch, program, serve } from "./start.mjs";

/** After so many milliseconds, a test that hangs is given up. */
const GIVE_UP = 300_000;

/** A folder that goes with the test. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "saddlescope-page-"));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** What the program prints. */
export function saddlescope(...words) {
  return execFileSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The program as a process that goes on. */
export function begin(...words) {
  const child = spawn(program, words, { stdio: "ignore" });
  after(() => child.kill("SIGKILL"));
  return child;
}

/** These, or only the first few of them in a plain run. */
export const sample = (all, few) => (process.env.SADDLESCOPE_FULL ? all : all.slice(0, few));

/** Inside the page: counts what it has asked for and not read yet, and the short pauses after which it may ask for something. */
function countWork() {
  const pending = (window.pending = new Set());
  const { setTimeout: begin, clearTimeout: end } = window;
  window.setTimeout = (act, time = 0, ...more) => {
    const pause = begin(() => (pending.delete(pause), act(...more)), time);
    if (time <= 500) pending.add(pause);
    return pause;
  };
  window.clearTimeout = (pause) => (pending.delete(pause), end(pause));
  const counted = (of, name) => {
    const plain = of[name];
    of[name] = function (...words) {
      const promise = plain.apply(this, words);
      const over = () => pending.delete(promise);
      pending.add(promise);
      promise.then(over, over);
      if (of === window) window.asked = [...(window.asked ?? []), String(words[0])];
      return promise;
    };
  };
  counted(window, "fetch");
  counted(ReadableStreamDefaultReader.prototype, "read");
  for (const name of ["json", "text", "arrayBuffer"]) counted(Response.prototype, name);
}

/** A server and a browser for all tests of a file. */
export async function observatory(runs = folder()) {
  const { home, stop } = await serve(runs);
  after(stop);
  const browser = await launch();
  after(() => browser.close());
  return {
    home,
    /** A page on which nothing may go wrong, and nothing may be asked of anybody else. */
    async open(path, options = {}, prepare = async () => undefined) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"], ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(GIVE_UP);
      page.troubles = [];
      page.on("pageerror", (error) => page.troubles.push(String(error)));
      page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.troubles.push(message.text()));
      page.on("request", (request) => {
        const own = request.url().startsWith(home) || /^(data|blob):/.test(request.url());
        if (!own) page.troubles.push(`asked ${request.url()}`);
      });
      await page.addInitScript(countWork);
      await prepare(page);
      await page.goto(home + path);
      return page;
    },
  };
}

/** Waits until the page has been drawn some times more. */
export function frames(page, count) {
  return page.evaluate((left) => new Promise((done) => {
    const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
    next();
  }), count);
}

/** Waits until all that the page has asked for is there and drawn, and it asks for nothing more. */
export async function settled(page) {
  await page.evaluate(() => (window.quiet = 0));
  // A live view asks for its declaration first, and for its run some time after that. What comes of the last answer is drawn first.
  await page.waitForFunction(() => {
    const { asked = [], pending } = window;
    const begun = /^\/(live|$)/.test(location.pathname) ? asked.some((path) => path.includes("/api/live")) : asked.length > 0;
    window.quiet = begun && pending.size === 0 ? window.quiet + 1 : 0;
    return window.quiet > 3;
  });
}

/** Waits until something that is read again and again fits. */
export async function until(read, fits, what) {
  for (const begun = Date.now(); ; ) {
    const value = await read();
    if (fits(value)) return value;
    if (Date.now() - begun > GIVE_UP) throw new Error(`${what}: there is ${value}`);
    await new Promise((then) => setTimeout(then, 20));
  }
}

/** The address as the page itself has it: that of the browser comes later. */
export const address = (page) => page.evaluate(() => location.href);

/** What a click downloads, as bytes. */
export async function downloaded(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(chunks) };
}

/** What a menu of the view downloads. */
export async function takenAway(page, kind) {
  await page.getByRole("button", { name: "Take away" }).click();
  return downloaded(page, () => page.getByRole("button", { name: new RegExp(`^${kind}\\b`) }).click());
}

/** Rows of a CSV without quoted cells, as objects. */
export function table(text) {
  const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, place) => [name, row[place]])));
}

/** Waits until as many things are there as a condition says. */
export const counted = (locator, fits, what) => until(() => locator.count(), fits, what);
