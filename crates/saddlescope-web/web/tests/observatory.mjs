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

/** Inside the page: counts the short pauses after which it may ask for something. */
function countPauses() {
  const { setTimeout: begin, clearTimeout: end } = window;
  const pauses = (window.pauses = new Set());
  window.setTimeout = (act, time = 0, ...more) => {
    const pause = begin(() => (pauses.delete(pause), act(...more)), time);
    if (time <= 500) pauses.add(pause);
    return pause;
  };
  window.clearTimeout = (pause) => (pauses.delete(pause), end(pause));
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
      Object.assign(page, { flights: new Set(), asked: 0, lived: false });
      const ends = (request) => page.flights.delete(request);
      page.on("request", (request) => {
        if (!request.url().includes("/api/")) return;
        page.flights.add(request);
        page.asked += 1;
        page.lived ||= request.url().includes("/api/live");
      });
      page.on("requestfinished", ends);
      page.on("requestfailed", ends);
      await page.addInitScript(countPauses);
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

/** Waits until all that the page has asked for is there, and it asks for nothing more. */
export async function settled(page) {
  const begun = Date.now();
  // A live view asks for its declaration first, and for its run some time after that.
  const live = () => /^\/(live|$)/.test(new URL(page.url()).pathname) && !page.lived;
  const busy = async () => page.asked === 0 || live() || page.flights.size > 0 || (await page.evaluate(() => window.pauses.size)) > 0;
  // What comes of the last answer is drawn first.
  while ((await busy()) || (await frames(page, 2), await busy())) {
    if (Date.now() - begun > GIVE_UP) throw new Error(`still waiting for ${[...page.flights].map((request) => request.url())}`);
    await page.waitForTimeout(30);
  }
}

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
export async function counted(locator, fits, what) {
  for (const begun = Date.now(); Date.now() - begun < GIVE_UP; ) {
    if (fits(await locator.count())) return locator.count();
    await locator.page().waitForTimeout(25);
  }
  throw new Error(`${what}: there are ${await locator.count()}`);
}
