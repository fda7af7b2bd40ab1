// Stored runs in a real browser.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { begin, counted, downloaded, folder, observatory, saddlescope, settled, until } from "./observatory.mjs";

const runs = folder();
saddlescope("reproduce", "linear-attention/fig1", "--out", runs);
saddlescope("run", "linear-attention", "--set", "system.rank=2", "--set", "seed=3", "--out", join(runs, "mine"));
const sweep = join(folder(), "scales.toml");
writeFileSync(sweep, 'name = "scales"\n[system]\nname = "linear-attention"\n[vary]\nstart.scale = "0.001..0.1:log20"\nsystem.rank = [1, 2, 4]\nsystem.heads = [1, 2]\n');
saddlescope("sweep", sweep, "--out", runs);
const site = await observatory(runs);

/** Pixels of the first chart that are drawn. */
const inked = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector(".uplot canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, place) => place % 4 === 3 && value > 0).length;
  });

test("the list is filtered, sorted, and a link restores it", async () => {
  const page = await site.open("/runs");
  const rows = page.locator(".run-list tbody tr");
  await rows.first().waitFor();
  await counted(rows, (count) => count === 3, "a plan, a run, a sweep");
  await page.keyboard.press("/");
  await page.keyboard.type("fig1");
  await page.keyboard.press("Enter");
  await counted(rows, (count) => count === 1, "the plan");
  await page.getByLabel("runs of plans").check();
  await counted(rows, (count) => count === 7, "the plan and its runs");
  await settled(page);
  const again = await site.open(new URL(page.url()).pathname + new URL(page.url()).search);
  await counted(again.locator(".run-list tbody tr"), (count) => count === 7, "the same again");
  await page.goBack();
  await counted(rows, (count) => count === 1, "the plan again");
  assert.deepEqual([...page.troubles, ...again.troubles], []);
});

test("the runs of a plan are compared, on one chart and in one table", async () => {
  const page = await site.open("/runs");
  await page.getByLabel("Compare linear-attention/fig1", { exact: true }).check();
  const table = page.locator(".outcomes tbody tr");
  await table.nth(5).waitFor();
  await page.locator(".outcomes .state.finished").nth(5).waitFor();
  await until(() => inked(page), (pixels) => pixels > 3000, "lines");
  await until(() => table.first().locator("td").allInnerTexts(), (cells) => cells.includes("4"), "jumps");
  await page.getByLabel("What is drawn").selectOption("head.0.value");
  await page.waitForURL(/column=head\.0\.value/);
  await page.reload();
  await page.locator(".outcomes tbody tr").nth(5).waitFor();
  await until(() => page.getByLabel("What is drawn").inputValue(), (name) => name === "head.0.value", "what is drawn");
  assert.deepEqual(page.troubles, []);
});

test("a run opens in Live with its settings, and gives its own numbers there", async () => {
  const page = await site.open("/runs/mine/linear-attention/defaults");
  const link = page.getByRole("link", { name: "Open in Live" });
  const query = new URL(await link.getAttribute("href"), site.home).searchParams;
  assert.equal(query.get("system.rank"), "2");
  assert.equal(query.get("seed"), "3");
  const stored = await page.getByRole("status").filter({ hasText: "plateau" }).innerText();
  await link.click();
  await settled(page);
  const words = stored.split(";")[0];
  await page.locator(".status").getByText(words).waitFor();
  assert.deepEqual(page.troubles, []);
});

test("scales and a stretch of time are kept in the link of a run", async () => {
  const page = await site.open("/runs/mine/linear-attention/defaults");
  await page.getByRole("button", { name: /^log time/ }).click();
  await page.waitForURL(/time=linear/);
  await settled(page);
  const chart = await page.locator(".run-chart .u-over").first().boundingBox();
  await page.mouse.move(chart.x + 100, chart.y + 50);
  await page.mouse.down();
  await page.mouse.move(chart.x + 400, chart.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/zoom=[\d.]+~[\d.]+/);
  await page.reload();
  await page.getByRole("button", { name: "whole time" }).first().click();
  await page.waitForURL((url) => !url.search.includes("zoom") && url.search.includes("time=linear"));
  assert.deepEqual(page.troubles, []);
});

test("a figure comes with its data", async () => {
  const page = await site.open("/runs/linear-attention/fig1");
  const picture = page.locator(".stored-figure img");
  await picture.waitFor();
  await page.waitForFunction(() => document.querySelector(".stored-figure img").naturalWidth > 100);
  const { bytes } = await downloaded(page, () => page.getByRole("button", { name: "CSV" }).click());
  const [head, ...rows] = String(bytes).trim().split("\n");
  const file = readFileSync(join(runs, "linear-attention/fig1/table.csv"), "utf8").trim().split("\n");
  assert.equal(head, file[0]);
  assert.equal(rows.length, file.length - 1);
  assert.equal(Number(rows[0].split(",")[1]), Number(file[1].split(",")[1]));
  assert.deepEqual(page.troubles, []);
});

test("a sweep's table is sorted, filtered and paged where it lies", async () => {
  const page = await site.open("/runs/linear-attention/scales");
  const rows = page.locator(".data-table tbody tr");
  await rows.nth(99).waitFor();
  await until(() => rows.first().locator("td").first().innerText(), (member) => member.trim() === "0", "the first member");
  await page.getByRole("button", { name: "member" }).click();
  await page.getByRole("button", { name: /^member/ }).click();
  await page.waitForFunction(() => document.querySelector(".data-table tbody td").innerText === "119");
  await page.getByLabel("Filter of rows").fill("system.rank=4, member<60");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => Number(document.querySelector(".data-table tbody td").innerText) < 60);
  await counted(page.locator(".data-table thead [aria-sort=descending]"), (count) => count === 1, "sorted by one column");
  await page.getByLabel("Filter of rows").fill("nothing=4");
  await page.keyboard.press("Enter");
  await page.getByText("the table has no column `nothing`").waitFor();
  assert.deepEqual(page.troubles.filter((words) => !words.includes("422")), []);
});

test("a run that is under way is marked, and grows", async () => {
  begin("run", "linear-attention", "--set", "dynamics.kind=gd", "--set", "dynamics.rate=0.0001", "--set", "dynamics.steps=100000000", "--out", join(runs, "growing"));
  const page = await site.open("/runs?text=growing");
  await page.locator(".state.running").waitFor();
  await page.locator(".run-list a").first().click();
  const words = page.locator(".stored-head p").filter({ hasText: "legs are done" });
  const legs = async () => parseInt(await words.innerText(), 10);
  await words.waitFor();
  const before = await legs();
  await until(legs, (now) => now > before, "more legs");
  assert.deepEqual(page.troubles, []);
});

test("a damaged run says what is wrong", async () => {
  const file = join(runs, "linear-attention/fig1/runs/seed-4/trajectory/part-0000.parquet");
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(file, bytes);
  const page = await site.open("/runs/linear-attention/fig1/runs/seed-4");
  const words = await page.getByRole("alert").innerText();
  assert.match(words, /trajectory\/part-0000\.parquet is damaged/);
});
