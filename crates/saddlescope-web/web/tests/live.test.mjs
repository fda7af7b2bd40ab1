// The Live view in a real browser.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { address, counted, folder, observatory, sample, saddlescope, settled, table, takenAway, until } from "./observatory.mjs";

const SYSTEMS = ["linear-attention", "associative-recall", "ngram-to-induction", "scan-and-snap", "sparse-markov", "transformer"];

const site = await observatory();

for (const system of SYSTEMS) {
  test(`${system} opens, draws its run and says what it came to`, async () => {
    const page = await site.open(`/live/${system}`);
    await settled(page);
    await until(() => page.locator("footer").innerText(), (words) => /with loss|plateaus|jump/.test(words), "what the run came to");
    const ink = () => page.evaluate(() => {
      const canvas = document.querySelector(".uplot canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 3; i < data.length; i += 4) count += data[i] > 0 ? 1 : 0;
      return count;
    });
    await until(ink, (pixels) => pixels > 500, "pixels that are drawn");
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
}

/** The page's numbers of its main run. */
async function shown(page) {
  const { bytes } = await takenAway(page, "CSV");
  const rows = table(String(bytes));
  return rows.filter(({ run }) => run === rows[0].run);
}

/** The program's numbers of the same run. */
function computed(system, set) {
  const file = join(folder(), "run.csv");
  saddlescope("run", system, ...set.flatMap((pair) => ["--set", pair]), "--out", file);
  return table(readFileSync(file, "utf8"));
}

function same(page, program) {
  assert.equal(page.length, program.length);
  page.forEach((row, place) => {
    assert.equal(Number(row.time), Number(program[place].time));
    assert.equal(Number(row.loss), Number(program[place].loss));
  });
}

const SLIDERS = [
  ["associative-recall", "order, slider", "system.order", 1],
  ["sparse-markov", "ratio, slider", "system.ratio", 10],
  ["linear-attention", "scale, slider", "start.scale", 40],
  ["ngram-to-induction", "alpha_star, slider", "system.alpha_star", 30],
  ["scan-and-snap", "eta_z, slider", "system.eta_z", 30],
];

for (const [system, label, key, presses] of sample(SLIDERS, 2)) {
  test(`${system}: a slider changes the curve to what \`run\` gives`, async () => {
    const page = await site.open(`/live/${system}?with=`);
    await settled(page);
    const before = await shown(page);
    const slider = page.getByRole("slider", { name: label, exact: true });
    await slider.focus();
    for (let press = 0; press < presses; press++) await page.keyboard.press("ArrowRight");
    await page.waitForURL((url) => url.searchParams.has(key));
    await settled(page);
    const after = await shown(page);
    assert.notDeepEqual(after.map(({ loss }) => loss), before.map(({ loss }) => loss));
    const set = [...new URL(await address(page)).searchParams].filter(([name]) => name.includes(".") || name === "seed");
    same(after, computed(system, set.map(([name, value]) => `${name}=${value}`)));
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
}

test("dragging a slider with the mouse redraws on the way, and the last position wins", async () => {
  const page = await site.open("/live/linear-attention?with=");
  await settled(page);
  const slider = page.getByRole("slider", { name: "scale, slider", exact: true });
  const box = await slider.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  for (let step = 0; step <= 20; step++) await page.mouse.move(box.x + box.width * (0.5 - 0.02 * step), y);
  await page.mouse.up();
  await settled(page);
  const timings = await page.evaluate(() => window.saddlescope.timings);
  assert.ok(timings.length >= 3, `${timings.length} curves on the way`);
  const scale = new URL(await address(page)).searchParams.get("start.scale");
  assert.ok(Number(scale) < 0.05);
  same(await shown(page), computed("linear-attention", [`start.scale=${scale}`]));
  await page.context().close();
});

test("the scrubber moves the heatmap, by keys and by hand", async () => {
  const page = await site.open("/live/linear-attention?with=");
  await settled(page);
  const scrubber = page.getByRole("slider", { name: "time that is looked at" });
  const map = page.locator(".heatmap canvas").first();
  const picture = () => map.screenshot();
  const end = await picture();
  await scrubber.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector('[aria-label="time that is looked at"]').getAttribute("aria-valuetext").startsWith("time 0"));
  await until(picture, (now) => !now.equals(end), "weights at the start, which look like those at the end");
  await page.keyboard.press("End");
  await until(picture, (now) => now.equals(end), "the weights at the end");
  const box = await scrubber.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x - 200, box.y + 40, { steps: 5 });
  await page.mouse.up();
  await until(picture, (now) => !now.equals(end), "the weights at the start again");
  await page.waitForURL((url) => url.searchParams.has("at"));
  await page.context().close();
});

test("a link restores the whole view", async () => {
  const page = await site.open("/live/linear-attention");
  await settled(page);
  await page.getByRole("button", { name: "Pin this run" }).click();
  const rank = page.getByRole("textbox", { name: "rank", exact: true });
  await rank.fill("2");
  await rank.press("Enter");
  await page.getByRole("button", { name: "GD", exact: true }).click();
  await settled(page);
  await page.keyboard.press("l");
  const scrubber = page.getByRole("slider", { name: "time that is looked at" });
  await scrubber.focus();
  for (let press = 0; press < 5; press++) await page.keyboard.press("ArrowLeft");
  await settled(page);
  await page.waitForURL((url) => url.searchParams.has("at"));
  const link = await address(page);
  const again = await site.open(link.slice(site.home.length));
  await settled(again);
  assert.equal(await address(again), link);
  assert.equal(await again.getByRole("textbox", { name: "rank", exact: true }).inputValue(), "2");
  const csv = async (view) => String((await takenAway(view, "CSV")).bytes);
  assert.equal(await csv(again), await csv(page));
  const time = (view) => view.getByRole("slider", { name: "time that is looked at" }).getAttribute("aria-valuetext");
  assert.equal(await time(again), await time(page));
  assert.deepEqual(again.troubles, []);
  await page.context().close();
  await again.context().close();
});

test("exports hold what is shown", async () => {
  const page = await site.open("/live/linear-attention?system.rank=2&with=gd");
  await settled(page);
  const svg = await takenAway(page, "SVG");
  assert.match(String(svg.bytes), /^<svg|<\?xml/);
  assert.equal((await takenAway(page, "PNG")).bytes.subarray(1, 4).toString(), "PNG");
  assert.equal((await takenAway(page, "PDF")).bytes.subarray(0, 4).toString(), "%PDF");
  const toml = await takenAway(page, "TOML");
  const file = join(folder(), "view.toml");
  writeFileSync(file, toml.bytes);
  const results = JSON.parse(saddlescope("run", file, "--json"));
  assert.ok(JSON.stringify(results).includes("crossing"));
  const alone = await site.open("/live/linear-attention?system.rank=2&with=");
  await settled(alone);
  await alone.getByRole("button", { name: "Take away" }).click();
  await alone.getByRole("button", { name: /^Command line/ }).click();
  const line = "saddlescope run linear-attention --set system.rank=2";
  await until(() => alone.evaluate(() => navigator.clipboard.readText()), (words) => words === line, "the command line");
  same(await shown(alone), computed("linear-attention", ["system.rank=2"]));
  await page.context().close();
  await alone.context().close();
});

test("an error shows as words at its control, and the old curve stays", async () => {
  const page = await site.open("/live/ngram-to-induction?with=");
  await settled(page);
  const scrubber = page.getByRole("slider", { name: "time that is looked at" });
  const before = await scrubber.getAttribute("aria-valuetext");
  const field = page.getByRole("textbox", { name: "w_star", exact: true });
  await field.fill("0.9");
  await field.press("Enter");
  const alert = page.getByRole("alert").filter({ hasText: "w_star" });
  await alert.first().waitFor();
  assert.match(await alert.first().innerText(), /0\.7071|0\.9/);
  await until(() => field.getAttribute("aria-invalid"), (wrong) => wrong === "true", "the field is marked");
  assert.equal(await scrubber.getAttribute("aria-valuetext"), before);
  await page.getByRole("button", { name: "Take away" }).click();
  for (const name of [/^CSV/, /^SVG/, /^Command line/]) {
    await page.getByRole("button", { name }).click();
    await page.getByText("`system.w_star` is wrong: mend it first").waitFor();
  }
  await page.keyboard.press("Escape");
  await field.fill("0.4");
  await field.press("Enter");
  await counted(alert, (count) => count === 0, "nothing is wrong any more");
  await page.context().close();
});

test("a run that takes long is drawn while it grows, and a new one takes its place", async () => {
  const slow = "/live/linear-attention?with=&dynamics.kind=gd&dynamics.rate=1e-6&dynamics.steps=400000000";
  const page = await site.open(slow);
  await page.getByRole("progressbar").first().waitFor();
  const rate = page.getByRole("textbox", { name: "steps", exact: true });
  await rate.fill("1000");
  await rate.press("Enter");
  await settled(page);
  assert.equal((await shown(page)).at(-1).step, "1000");
  await page.context().close();
});

test("everything can be reached by keys, on light and dark, and at the size of a telephone", async () => {
  for (const colorScheme of sample(["dark", "light"], 1)) {
    const page = await site.open("/live/linear-attention", { colorScheme, viewport: { width: 390, height: 800 } });
    await settled(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    const seen = new Set();
    for (let press = 0; press < 120; press++) {
      await page.keyboard.press("Tab");
      seen.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
    }
    assert.ok([...seen].some((name) => name.includes("time that is looked at")));
    assert.ok([...seen].some((name) => name.includes("Take away")));
    await page.context().close();
  }
});

test("the first paint does not wait for anything", async () => {
  // No answer of the program comes before the page is seen.
  let seen;
  const painted = new Promise((done) => (seen = done));
  const page = await site.open("/live/linear-attention", {}, (page) => page.route("**/api/**", (route) => painted.then(() => route.continue())));
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  seen();
  await settled(page);
  await page.context().close();
});
