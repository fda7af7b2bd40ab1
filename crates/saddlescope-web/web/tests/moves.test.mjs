// Moves in the Live view: zoom, play, history, kinds, presets, the ladder.
import assert from "node:assert/strict";
import { test } from "node:test";
import { address, counted, frames, observatory, settled, until } from "./observatory.mjs";

const site = await observatory();

const query = (page, name) => new URL(page.url()).searchParams.get(name);

test("a drag, keys and a double click change the times that are shown", async () => {
  const page = await site.open("/live/linear-attention?with=&at=300");
  await settled(page);
  const plot = await page.locator(".loss .u-over").boundingBox();
  const y = plot.y + 60;
  await page.mouse.move(plot.x + plot.width * 0.3, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.6, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/zoom=/);
  const [from, to] = query(page, "zoom").split("~").map(Number);
  assert.ok(from > 0 && to > from);
  await page.mouse.dblclick(plot.x + plot.width * 0.8, y);
  await page.waitForURL((url) => !url.searchParams.has("zoom"));
  assert.equal(query(page, "at"), "300", "a double click picks no time");
  await page.keyboard.press("+");
  await page.waitForURL(/zoom=/);
  await page.keyboard.press("-");
  await page.waitForURL((url) => !url.searchParams.has("zoom"));
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("time runs until it is stopped", async () => {
  const page = await site.open("/live/linear-attention?with=&at=20");
  await settled(page);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => Number(document.querySelector(".scrub[role=slider]").getAttribute("aria-valuenow")) > 25);
  await page.keyboard.press(" ");
  await page.waitForURL((url) => Number(url.searchParams.get("at")) > 25);
  await page.getByRole("button", { name: "Play: let time run" }).waitFor();
  const time = () => page.locator(".scrub[role=slider]").getAttribute("aria-valuenow");
  const stopped = await time();
  await frames(page, 20);
  assert.equal(await time(), stopped);
  await page.context().close();
});

test("a drag of a slider is one step of the history", async () => {
  const page = await site.open("/live/linear-attention?with=");
  await settled(page);
  const before = await address(page);
  const box = await page.getByRole("slider", { name: "scale, slider", exact: true }).boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  for (let step = 1; step <= 12; step++) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.02 * step), y);
    await frames(page, 2);
  }
  await page.mouse.up();
  await page.waitForURL(/start\.scale=/);
  await settled(page);
  const after = await address(page);
  await page.goBack();
  await page.waitForURL(before);
  const scale = page.getByRole("textbox", { name: "scale", exact: true });
  await until(() => scale.inputValue(), (value) => value === "0.05", "the scale from before");
  await page.goForward();
  await page.waitForURL(after);
  await page.getByRole("button", { name: "scale: back to default" }).click();
  await page.waitForURL(before);
  await page.context().close();
});

test("another kind brings its own settings, filled where they must be", async () => {
  const page = await site.open("/live/linear-attention?with=&start.scale=0.02");
  await settled(page);
  await page.getByRole("combobox", { name: "start" }).selectOption("given");
  await page.waitForURL(/start\.key=/);
  await settled(page);
  assert.equal(query(page, "start.scale"), null, "what does not count is not in the address");
  await counted(page.getByRole("alert"), (count) => count === 0, "nothing is wrong");
  await page.getByRole("combobox", { name: "start" }).selectOption("random");
  await page.waitForURL((url) => url.searchParams.get("start.scale") === "0.02");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("a preset is taken up, and the ladder marks what its run came by", async () => {
  const page = await site.open("/live/linear-attention?with=&ladder=open");
  await settled(page);
  await counted(page.locator(".rung"), (count) => count === 16, "what theory knows");
  await counted(page.locator(".rung.visited"), (count) => count === 5, "what the run came by");
  await page.getByRole("button", { name: "Start from" }).click();
  await page.getByRole("button", { name: /^fig1/ }).click();
  await page.waitForURL(/seed=4/);
  await settled(page);
  await page.getByRole("contentinfo").getByText("5 plateaus, 4 jumps").waitFor();
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("a theory that does not apply is not asked for", async () => {
  // However long the main curve takes on this machine, the others wait for it (`WAIT` in beside.ts).
  const patient = () => {
    const begin = window.setTimeout;
    window.setTimeout = (act, time, ...more) => begin(act, time === 150 ? 1e9 : time, ...more);
  };
  const page = await site.open("/live/linear-attention?with=reduced", {}, (page) => page.addInitScript(patient));
  await settled(page);
  const curves = page.locator(".loss .legend li:not(.note)");
  await counted(curves, (count) => count === 2, "the run and its theory");
  // The staged theory is one of small starts.
  const scale = page.getByRole("textbox", { name: "scale", exact: true });
  await scale.fill("3");
  await scale.press("Enter");
  await counted(curves, (count) => count === 1, "the run alone");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
