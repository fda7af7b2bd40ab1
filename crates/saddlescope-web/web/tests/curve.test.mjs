// A curve and a program that is busy, breaks off, goes away and comes back; without a browser.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { frame } from "./frame.mjs";
import { source } from "./source.mjs";

globalThis.window = globalThis;
globalThis.document = { visibilityState: "visible" };
const { Curve } = await source("live/curve.ts");
const { obstacle } = await source("live/obstacle.ts");

const PROBLEM = frame({ kind: "problem", observables: [], figure: [], levels: [], theories: [] }, []);
const PART = frame({ kind: "part", rows: 1, columns: [], done: 0.5 }, [0, 0]);
const END = frame({ kind: "end", rows: 1, columns: [], facts: { error: null } }, [0, 0]);
const RUN = { system: "any", set: { seed: "1" } };

const whole = () => new Response(Buffer.concat([PROBLEM, PART, END]));
const gone = () => Promise.reject(new TypeError("Failed to fetch"));
const refusal = (status, error) => () => new Response(JSON.stringify({ error, key: null }), { status });

/** A program that gives these answers, one after the other, and the last one for ever. */
function program(...answers) {
  let asked = 0;
  globalThis.fetch = async () => answers[Math.min(asked++, answers.length - 1)]();
  return () => asked;
}

// Time passes only where a test says so.
mock.timers.enable({ apis: ["setTimeout"] });

/** Lets what is under way go on until something holds; a test that would wait for ever is given up. */
async function until(holds, milliseconds = 0) {
  for (let turns = 0; !holds(); turns++) {
    assert.ok(turns < 1_000_000, "it never holds");
    await new Promise((done) => setImmediate(done));
    mock.timers.tick(milliseconds);
  }
}

/** Lets time pass, with all that comes of it at once. */
async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  for (let turns = 0; turns < 100; turns++) await new Promise((done) => setImmediate(done));
}

const curve = () => new Curve(() => undefined, true);

test("a program that went away is asked again until it is back", async () => {
  const asked = program(gone, whole);
  const one = curve();
  one.ask(RUN);
  await until(() => one.trouble.value !== null);
  assert.match(one.trouble.value.words, /does not answer/);
  assert.equal(one.shows(RUN.set), false);
  await pass(1999);
  assert.equal(asked(), 1);
  await pass(1);
  await until(() => one.shows(RUN.set));
  assert.equal(one.trouble.value, null);
  assert.equal(asked(), 2);
});

test("nobody is asked while nobody looks, and a curve that was stopped asks no more", async () => {
  const asked = program(gone);
  document.visibilityState = "hidden";
  const one = curve();
  one.ask(RUN);
  await until(() => one.trouble.value !== null);
  await pass(10_000);
  assert.equal(asked(), 1);
  document.visibilityState = "visible";
  await pass(2000);
  await until(() => asked() === 2);
  one.stop();
  await pass(10_000);
  assert.equal(asked(), 2);
});

test("an answer without its end is no whole curve, and the same can be asked for again", async () => {
  const asked = program(() => new Response(Buffer.concat([PROBLEM, PART])), whole);
  const one = curve();
  one.ask(RUN);
  await until(() => one.trouble.value !== null);
  assert.equal(one.trouble.value.words, "the answer broke off");
  assert.equal(one.stale.value, true);
  assert.equal(one.shows(RUN.set), false);
  one.ask(RUN);
  await until(() => one.shows(RUN.set));
  assert.equal(asked(), 2);
});

test("a refusal is final, a busy program is asked again, and other troubles are told", async () => {
  let asked = program(refusal(422, "`seed` is wrong"));
  const one = curve();
  one.ask(RUN);
  await until(() => one.trouble.value !== null);
  one.ask(RUN);
  assert.equal(asked(), 1);
  asked = program(refusal(503, "busy"), refusal(503, "busy"), whole);
  const two = curve();
  two.ask(RUN);
  await until(() => two.shows(RUN.set), 1);
  assert.equal(asked(), 3);
  asked = program(refusal(500, "the program is broken"));
  const three = curve();
  three.ask(RUN);
  await until(() => three.trouble.value !== null);
  assert.equal(three.trouble.value.words, "the program is broken");
  assert.equal(asked(), 1);
});

test("a program that stays busy is given up in its words", async (context) => {
  const asked = program(refusal(503, "too many computations"));
  const one = curve();
  const { setTimeout: timer } = globalThis;
  context.after(() => (globalThis.setTimeout = timer));
  const pauses = [];
  globalThis.setTimeout = (act, time) => (pauses.push(time), timer(act, time));
  one.ask(RUN);
  await until(() => one.trouble.value !== null || asked() >= 30, 100);
  assert.equal(one.trouble.value.words, "too many computations");
  assert.equal(asked(), 21);
  assert.ok(Math.max(...pauses) > 4 * Math.min(...pauses));
});

test("nothing is taken away that is not of the present settings", async () => {
  program(whole, () => new Response(JSON.stringify({ error: "1 to 64", key: "system.rank" }), { status: 422 }), gone);
  const one = curve();
  assert.match(obstacle(one, RUN.set), /no run yet/);
  one.ask(RUN);
  await until(() => one.shows(RUN.set));
  assert.equal(obstacle(one, RUN.set), null);
  const wrong = { seed: "1", "system.rank": "0" };
  assert.match(obstacle(one, wrong), /older settings/);
  one.ask({ ...RUN, set: wrong });
  await until(() => one.trouble.value !== null);
  assert.equal(obstacle(one, wrong), "`system.rank` is wrong: mend it first");
  one.ask({ ...RUN, set: { seed: "2" } });
  await until(() => one.trouble.value.key === null);
  assert.match(obstacle(one, { seed: "2" }), /does not answer.*mend it first/);
  one.stop();
});
