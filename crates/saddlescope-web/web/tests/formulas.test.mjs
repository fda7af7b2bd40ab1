// Every formula that the program says can be set as mathematics.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import katex from "katex";
import { folder } from "./observatory.mjs";
import { serve } from "./start.mjs";

const { home, stop } = await serve(folder());
after(stop);
const json = async (path) => (await fetch(home + path)).json();

/** What is wrong with the formulas of a text, if anything is. */
function faults(text) {
  const pieces = text.split("$");
  if (pieces.length % 2 === 0) return [`a dollar sign stands alone in: ${text}`];
  return pieces.filter((_, place) => place % 2 === 1).flatMap((tex) => {
    try {
      katex.renderToString(tex, { throwOnError: true, strict: "ignore" });
      return [];
    } catch (error) {
      return [`${tex}: ${error.message}`];
    }
  });
}

test("a formula that is wrong is found", () => {
  assert.equal(faults("loss $\\mathcal{L}$ and $x^2$").length, 0);
  assert.equal(faults("$\\frac{1}$").length, 1);
  assert.equal(faults("$\\nosuchthing$").length, 1);
  assert.equal(faults("a $ b").length, 1);
});

test("every formula of every claim is set", async () => {
  let formulas = 0;
  for (const { name } of await json("/api/papers")) {
    const { claims, experiments } = await json(`/api/papers/${name}`);
    const texts = claims.flatMap(({ statement, correction, assumes, place }) => [statement, correction ?? "", place, ...assumes]);
    texts.push(...experiments.map(({ about }) => about ?? ""));
    assert.deepEqual(texts.flatMap(faults), [], name);
    formulas += texts.reduce((count, text) => count + Math.floor(text.split("$").length / 2), 0);
  }
  assert.ok(formulas > 500, `only ${formulas} formulas`);
});

/** The heads of the frames of a run. */
async function heads(body) {
  const answer = await fetch(`${home}/api/live`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, String(bytes));
  const all = [];
  for (let at = 0; at < bytes.length; ) {
    const [words, numbers] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    all.push(JSON.parse(bytes.subarray(at + 8, at + 8 + words)));
    at += 8 + words + numbers;
  }
  return all;
}

test("every label of every system is set", async () => {
  const { systems } = await json("/api/about");
  for (const { name } of systems) {
    const { view, presets } = await json(`/api/systems/${name}`);
    // Other models of a system, as presets have them, say other things; a few steps suffice to hear them.
    const models = new Map(presets.map(({ set }) => [JSON.stringify([set["system.model"], set["start.kind"]]), set]));
    const short = (set) => (set["dynamics.steps"] || name === "transformer" ? { ...set, "dynamics.steps": "2" } : { ...set, "dynamics.until": "1.0" });
    for (const set of [view.set, ...models.values()]) {
      const [world, ...rest] = await heads({ system: name, set: short(set) });
      const end = rest.at(-1);
      const texts = [
        ...world.observables.map(({ label }) => label ?? ""),
        ...world.figure.flatMap(({ title, y_label }) => [title ?? "", y_label ?? ""]),
        ...(end.facts ? [...end.facts.predictions.map(({ label }) => label), ...Object.values(end.facts.labels)] : []),
      ];
      assert.deepEqual(texts.flatMap(faults), [], `${name} ${JSON.stringify(set)}`);
    }
  }
});
