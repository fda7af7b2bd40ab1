// Frames, links, literals and what counts: the parts of the page that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { frame } from "./frame.mjs";
import { source } from "./source.mjs";

const { FrameReader } = await source("data/frames.ts");
const { recordingOf, linesOf, nearest, fits, familyOf } = await source("data/recording.ts");
const { queryOf, viewOf, PLAIN } = await source("live/link.ts");
const literals = await source("live/literals.ts");
const { effective, slotsOf } = await source("live/declared.ts");
const { pinNames } = await source("live/names.ts");
const { rungsOf } = await source("live/rungs.ts");
const { short, power } = await source("data/format.ts");
const { plainLabel } = await source("ui/plain.ts");
const { clockOf, valuesOf } = await source("charts/extent.ts");
const { valueAt } = await source("charts/trace.ts");

test("frames are the same however the bytes are cut", () => {
  const bytes = Buffer.concat([frame({ kind: "problem", label: "ü" }, []), frame({ kind: "end" }, [1, Number.MIN_VALUE, -0.1])]);
  for (const size of [1, 7, 8, 13, bytes.length]) {
    const reader = new FrameReader();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(new Uint8Array(bytes.subarray(at, at + size))));
    assert.deepEqual(
      frames.map(({ head }) => head.kind),
      ["problem", "end"],
    );
    assert.equal(frames[0].head.label, "ü");
    assert.deepEqual([...frames[1].numbers], [1, Number.MIN_VALUE, -0.1]);
    assert.equal(reader.left, 0);
  }
});

test("what is no frame is refused, and a frame that broke off is noticed", () => {
  assert.throws(() => new FrameReader().push(new Uint8Array(Buffer.from("<html><body>"))), /no frame/);
  const reader = new FrameReader();
  reader.push(new Uint8Array(frame({ kind: "end" }, [1, 2]).subarray(0, 20)));
  assert.equal(reader.left, 20);
});

test("columns with a shape become lines, and rows are found by time", () => {
  const columns = [
    { name: "loss", shape: [], label: "loss" },
    { name: "head.0.key", shape: [1, 2], label: "$k_1$" },
  ];
  const recording = recordingOf({}, { rows: 3, columns }, Float64Array.of(0, 1, 10, 0, 1, 2, 5, 4, 3, 1, 2, 3, 4, 5, 6), null);
  assert.deepEqual(
    linesOf(recording, "head.*.key").map(({ name, label, values }) => [name, label, [...values]]),
    [
      ["head.0.key[0,0]", "$k_1$ [1,1]", [1, 3, 5]],
      ["head.0.key[0,1]", "$k_1$ [1,2]", [2, 4, 6]],
    ],
  );
  assert.deepEqual(
    [-1, 0.4, 0.6, 5.4, 5.6, 99].map((time) => nearest(recording.time, time)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.throws(() => recordingOf({}, { rows: 4, columns }, new Float64Array(15), null), /fewer/);
  assert.ok(fits("head.*.key", "head.12.key") && !fits("head.*", "head.1.key") && !fits("loss", "loss.g4"));
  assert.equal(familyOf("blocks.0.attn.W_Q"), "blocks.*.attn.W_Q");
});

test("a view survives its link", () => {
  const view = {
    ...PLAIN,
    set: { "system.eigenvalues": "[0.4, 0.1]", "start.kind": '"a~b%7E=c"', seed: "3" },
    with: [
      { id: "reduced:two-scale", set: {} },
      { id: "gd", set: { "dynamics.rate": "1e-3" } },
    ],
    pins: [{}, { "system.rank": "2", "start.scale": "0.01" }],
    time: "log",
    loss: "linear",
    at: 338.978995,
    zoom: [0.001, 1500],
    ramp: "now",
    ladder: true,
    stages: false,
    panels: [
      { y: ["head.*.value", "norm.head.*.key"], scale: "log" },
      { y: [], scale: "linear" },
    ],
    maps: ["head.*.key"],
  };
  assert.deepEqual(viewOf(queryOf(view)), view);
  assert.deepEqual(viewOf(""), PLAIN);
  assert.equal(queryOf(PLAIN), "");
  assert.deepEqual(viewOf(queryOf({ ...PLAIN, set: {}, with: [], panels: [], maps: [] })), {
    ...PLAIN,
    set: { seed: "0" },
    with: [],
    panels: [],
    maps: [],
  });
  assert.equal(viewOf("zoom=5~1&at=x&time=cubic").zoom, null);
});

test("literals are read as TOML and as `--set` have them", () => {
  assert.equal(literals.readNumber("1_000"), 1000);
  assert.equal(literals.readNumber('"1"'), null);
  assert.equal(literals.readText("sum-as-printed"), "sum-as-printed");
  assert.equal(literals.readText('"flow"'), "flow");
  assert.equal(literals.readText("true"), null);
  assert.deepEqual(literals.readNumbers("[0.4, 3e-1,]"), [0.4, 0.3]);
  assert.ok(literals.same("1e-3", "0.001") && literals.same('"gd"', "gd") && !literals.same("1", "2"));
  assert.deepEqual([2, 0.5, 1e-7].map(literals.writeNumber), ["2.0", "0.5", "1e-7"]);
});

const parameter = (name, more = {}) => ({
  name,
  type: "integer",
  range: null,
  phrase: "",
  words: [],
  presence: "default",
  literal: "1",
  value: 1,
  about: "",
  unit: "",
  when: null,
  slider: null,
  ...more,
});
const section = (parameters, kind = null, kinds = []) => ({ name: "", about: "", parameters, kind, kinds });
const declaration = {
  sections: {
    system: section([
      parameter("loss", { type: { choice: ["all", "some"] }, literal: '"all"' }),
      parameter("batch", { when: { phrase: "", on: "loss", words: ["some"] } }),
      parameter("half", { when: { phrase: "", on: "batch", words: null } }),
    ]),
    start: section([]),
    dynamics: section([], "flow", [
      { name: "flow", about: "", parameters: [parameter("until")] },
      { name: "gd", about: "", parameters: [parameter("rate", { presence: "required", literal: "0.1" })] },
    ]),
    record: section([]),
    experiment: section([parameter("seed", { literal: "0" })]),
  },
};

test("only what counts is sent, and what must be given is", () => {
  assert.deepEqual(effective(declaration, { "system.batch": "5", "dynamics.until": "7", seed: "0" }), { "dynamics.until": "7" });
  assert.deepEqual(effective(declaration, { "system.loss": '"some"', "system.batch": "5", "dynamics.until": "7", "dynamics.kind": "gd" }), {
    "system.loss": '"some"',
    "system.batch": "5",
    "dynamics.kind": "gd",
    "dynamics.rate": "0.1",
  });
  assert.deepEqual(effective(declaration, { "system.lsos": "1" }), { "system.lsos": "1" });
  assert.ok(!slotsOf(declaration, {}).some(({ key }) => key === "system.half"));
});

test("numbers and labels read well", () => {
  assert.deepEqual(
    [0, 1, 0.1359951, 15380.89, 1e-5, 2.5e7, NaN, -3].map((x) => short(x)),
    ["0", "1", "0.136", "15381", "1e−5", "2.5e7", "–", "−3"],
  );
  assert.deepEqual([0.01, 1, 1000, 1e4, 1e-12].map(power), ["0.01", "1", "1000", "10⁴", "10⁻¹²"]);
  assert.equal(plainLabel("loss $\\mathcal{L}$ of $v_{12}$ and $\\eta_Z$"), "loss L of v₁₂ and η_Z");
  assert.equal(plainLabel("$\\langle \\hat{\\mathcal{L}}, \\dot x_1 \\rangle \\le \\frac{\\sqrt{n}}{2}$"), "⟨ L\u0302, x\u0307₁ ⟩ ≤ √(n)/2");
  assert.equal(plainLabel("$\\{s_j\\} \\in \\mathbb{R}$"), "{s_j} ∈ R");
});

test("a logarithmic clock begins shortly before something happens", () => {
  const x = Float64Array.of(0, 0.001, 0.1, 10, 250, 400, 2000);
  const y = Float64Array.of(1, 1, 1, 1, 0.9, 0.5, 0.1);
  const trace = { key: "", label: "", x, y, colour: "", dash: [], width: 1 };
  assert.deepEqual(clockOf([trace], "log"), [10, 2000]);
  assert.deepEqual(clockOf([trace], "linear"), [0, 2000]);
  const [low, high] = valuesOf([trace], [300, 2000], "linear", []);
  assert.ok(low < 0.1 && low > 0 && high > 0.5 && high < 0.6);
  assert.equal(valueAt(trace, 390), 0.5);
  assert.equal(valueAt(trace, 3000), null);
});

test("a visit stands on the rung of its nearest saddle only at the height of that saddle", () => {
  const known = [1, 0.5, 0].map((loss) => ({ kind: "strict saddle", loss, point: null, saddle: `at_${loss}`, near: null, where: "" }));
  const visit = (loss, point, saddle) => ({ kind: "minimum", loss, point, saddle: null, near: { saddle, distance: 1 }, where: `loss ${loss}` });
  const visited = [visit(0.7, { loss: 0.51, distance: 0.1 }, "at_0.5"), visit(0.53, null, "at_0.5"), visit(0.2, null, "elsewhere")];
  assert.deepEqual(
    rungsOf({ known, visited }).map(({ label, loss, known: theory, visits }) => [label, loss, theory !== null, visits.length]),
    [
      ["at 1", 1, true, 0],
      ["loss 0.53", 0.53, false, 1],
      ["at 0.5", 0.5, true, 1],
      ["loss 0.2", 0.2, false, 1],
      ["at 0", 0, true, 0],
    ],
  );
  const alone = rungsOf({ known: known.slice(0, 1), visited: [visit(1.009, null, "at_1"), visit(1.02, null, "at_1")] });
  assert.deepEqual(alone.map(({ visits }) => visits.length), [1, 1]);
});

test("pinned runs are named by what tells them apart, and never the same", () => {
  const many = { a: "1", b: "2", c: "3", d: "4" };
  assert.deepEqual(pinNames(declaration, {}, [{ ...many, seed: "5" }, { ...many, seed: "6" }]), ["seed 5, a 1, b 2, …", "seed 6, a 1, b 2, …"]);
  // What holds without being set is said, too.
  assert.deepEqual(pinNames(declaration, { seed: "7" }, [{}, { seed: "7" }]), ["seed 0", "seed 7"]);
  assert.deepEqual(pinNames(declaration, {}, [{ "system.lsos": "1" }, {}]), ["lsos 1", "as opened"]);
  const four = (end) => ({ "x.a": end, "x.b": end, "x.c": end, "y.a": end });
  const names = pinNames(declaration, {}, [{ ...four("1"), d: "1" }, { ...four("1"), d: "1", e: "2" }, { ...four("1"), d: "1" }]);
  assert.equal(new Set(names).size, 3);
  const alike = { "x.a": "1", "y.a": "1" };
  assert.deepEqual(pinNames(declaration, {}, [alike, { ...alike }]), ["a 1, a 1", "a 1, a 1 (2)"]);
});
