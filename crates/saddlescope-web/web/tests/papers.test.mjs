// The papers in a real browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, observatory, sample, until } from "./observatory.mjs";

const site = await observatory();

test("every paper opens with its figures, claims and errata, all formulas set", async () => {
  const page = await site.open("/papers");
  await page.locator(".paper-line").nth(4).waitFor();
  const links = await page.locator(".paper-line h2 a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.equal(links.length, 5);
  assert.equal(await page.getByText("authors withheld").count(), 3);
  for (const link of sample(links, 1)) {
    const paper = await site.open(link);
    await paper.locator(".claim .katex").first().waitFor();
    await counted(paper.locator(".errata-table tbody tr"), (count) => count > 5, link);
    await paper.waitForFunction(() => document.querySelector(".figure-card img").naturalWidth > 100);
    // No dollar sign of the markup is left.
    await until(() => paper.locator(".claims").innerText(), (words) => !/\$[^$]+\$/.test(words), link);
    assert.equal(await paper.locator(".katex-error").count(), 0, link);
    assert.deepEqual(paper.troubles, [], link);
    await paper.context().close();
  }
});

test("claims are filtered, and the link keeps the filter", async () => {
  const page = await site.open("/papers/linear-attention");
  const claims = page.locator(".claim");
  await page.getByLabel("Verdict").selectOption("false as printed");
  const wrong = await page.locator(".errata-table tbody tr").count();
  await counted(claims, (count) => count === wrong, "as many as there are errata");
  await page.getByLabel("Filter claims by words").fill("plateau");
  const count = await counted(claims, (now) => now > 0 && now < wrong, "fewer");
  await page.reload();
  await counted(claims, (now) => now === count, "as many as before");
});

test("a link leads to a claim, which is checked now", async () => {
  const page = await site.open("/papers/linear-attention#eq-24c");
  const claim = page.getByRole("article", { name: /^eq-24c:/ });
  await claim.getByRole("button", { name: "Check now" }).click();
  await claim.getByText("as on record").waitFor();
  await counted(claim.locator(".evidence tbody tr").filter({ hasText: "corrected" }), (count) => count === 1, "its evidence");
  await until(() => claim.evaluate((element) => element.getBoundingClientRect().top), (top) => top > 0 && top < 400, "where the claim is");
  assert.deepEqual(page.troubles, []);
});

test("a figure without a picture is made here, and enlarged with its data", async () => {
  const page = await site.open("/papers/linear-attention");
  const card = page.locator("#figure-fig6");
  await card.getByText("no picture yet").waitFor();
  await card.getByRole("button", { name: "Run it here" }).click();
  await card.locator("img").waitFor();
  await page.waitForFunction(() => document.querySelector("#figure-fig6 img").naturalWidth > 100);
  await card.getByRole("button", { name: "Enlarge" }).click();
  const large = page.getByRole("dialog");
  await large.getByText("Data of this figure").waitFor();
  await page.waitForURL(/#figure-fig6$/);
  await page.keyboard.press("Escape");
  await counted(large, (count) => count === 0, "no figure is enlarged");
  await page.waitForURL(/^[^#]*$/);
  assert.deepEqual(page.troubles, []);
});

test("a figure that takes long can be stopped", async () => {
  const page = await site.open("/papers/sparse-markov");
  const card = page.locator("#figure-fig2");
  await card.getByRole("button", { name: "Run it here" }).click();
  await card.getByRole("button", { name: "stop" }).click();
  await card.getByRole("button", { name: "Run it here" }).waitFor();
});
