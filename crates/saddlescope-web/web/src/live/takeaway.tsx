// Take away: pictures, numbers, files and lines that give the same again.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { SettingsMap } from "../data/contract";
import { post, words } from "../data/fetch";
import { linesOf, type Line } from "../data/recording";
import { announce } from "../ui/announce";
import { save, saveCsv, type Row } from "../ui/files";
import { Menu } from "../ui/menu";
import { plainLabel } from "../ui/plain";
import { Trouble } from "../ui/trouble";
import type { LiveModel } from "./model";
import { obstacle } from "./obstacle";
import { mainLabel, pinLabels } from "./runs";

const trouble = signal<string | null>(null);

const SERVED = ["svg", "png", "pdf", "toml"] as const;
type Served = (typeof SERVED)[number];

const SAYS: Record<Served, string> = {
  svg: "picture for papers and pages",
  png: "picture in pixels",
  pdf: "picture for LaTeX",
  toml: "experiment file of all runs shown",
};

export function TakeAway({ model }: { model: LiveModel }): JSX.Element {
  const item = (name: string, says: string, act: () => Promise<void> | void, close: () => void): JSX.Element => (
    <button type="button" key={name} onClick={() => void attempt(act).then((done) => done && close())}>
      <b>{name}</b>
      <span class="meaning">{says}</span>
    </button>
  );
  return (
    <Menu label="Take away" title="Pictures, data, files, links" align="right">
      {(close) => (
        <>
          {SERVED.map((kind) => item(kind.toUpperCase(), SAYS[kind], () => fetched(model, kind), close))}
          {item("CSV", "numbers shown, with all their digits", () => numbers(model), close)}
          {item("Command line", "copies what gives the same result", () => command(model), close)}
          {item("Link", "copies this view", () => copied(location.href, "the link"), close)}
          <Trouble words={trouble.value} />
        </>
      )}
    </Menu>
  );
}

async function attempt(act: () => Promise<void> | void): Promise<boolean> {
  trouble.value = null;
  try {
    await act();
    return true;
  } catch (error) {
    trouble.value = words(error);
    return false;
  }
}

/** What goes away must be of the settings that people see. */
function ready(model: LiveModel): void {
  const words = obstacle(model.main, model.counting.value);
  if (words !== null) throw new Error(words);
}

function numbers(model: LiveModel): void {
  ready(model);
  saveCsv(csvOf(model), model.declaration.name);
}

async function fetched(model: LiveModel, kind: Served): Promise<void> {
  ready(model);
  const answer = await post(`/api/export/${kind}`, exportOf(model));
  save(await answer.blob(), `${model.declaration.name}.${kind}`);
}

/** The server's line; a run alone has it in its answer already. */
async function command(model: LiveModel): Promise<void> {
  ready(model);
  const alone = model.with.value.length === 0 && model.view.value.pins.length === 0;
  const own = model.main.recording.value?.problem.command;
  const line = alone && own ? own : await (await post("/api/export/command", exportOf(model))).text();
  await copied(line.trim(), "the command line");
}

async function copied(text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  announce(`copied ${what}`);
}

/** The numbers that are shown: a row per run and time, with all their digits. */
function csvOf(model: LiveModel): Row[] {
  const patterns = [...new Set(["loss", ...model.panels.value.flatMap(({ y }) => y)])];
  const runs = model.runs.value.flatMap((run) => {
    const recording = run.curve.recording.value;
    if (!recording) return [];
    const lines = patterns.flatMap((pattern) => linesOf(recording, pattern, Infinity));
    return [{ name: plainLabel(run.label), recording, lines: new Map(lines.map((line): [string, Line] => [line.name, line])) }];
  });
  const columns = [...new Set(runs.flatMap(({ lines }) => [...lines.keys()]))];
  const rows: Row[] = [["run", "time", "step", ...columns]];
  for (const { name, recording, lines } of runs) {
    for (let row = 0; row < recording.time.length; row++) {
      const values = columns.map((column) => lines.get(column)?.values[row]);
      rows.push([name, recording.time[row], recording.step[row], ...values]);
    }
  }
  return rows;
}

/** The view as a plan of the laboratory: what all runs have in common, and a run for each line. */
function exportOf(model: LiveModel): object {
  const runs = [{ label: mainLabel(model), set: model.counting.value }];
  for (const { id, set } of model.with.value) {
    const companion = model.declaration.companions.find((one) => one.id === id);
    const settings = companion && model.beside.applies(companion) && model.beside.settingsOf(companion, set);
    if (companion && settings) runs.push({ label: plainLabel(companion.label), set: settings });
  }
  const labels = pinLabels(model);
  model.view.value.pins.forEach((pin, i) => runs.push({ label: labels[i] ?? "", set: pin }));
  const common = shared(runs.map(({ set }) => set));
  const zoom = model.view.value.zoom;
  const x_scale = model.timeScale.value;
  const loss = model.main.problem.value?.figure.find(({ y }) => y.length === 1 && y[0] === "loss");
  return {
    system: model.declaration.name,
    set: common,
    runs: runs.map(({ label, set }) => ({ label, set: without(set, common) })),
    panels: [
      { y: ["loss"], x_scale, y_scale: model.lossScale.value, x_range: zoom, theory: loss?.theory ?? [] },
      ...model.panels.value.map(({ y, scale, theory }) => ({ y, x_scale, y_scale: scale, x_range: zoom, theory })),
    ],
  };
}

function shared(sets: SettingsMap[]): SettingsMap {
  const [first = {}, ...others] = sets;
  return Object.fromEntries(Object.entries(first).filter(([key, value]) => others.every((set) => set[key] === value)));
}

function without(set: SettingsMap, common: SettingsMap): SettingsMap {
  return Object.fromEntries(Object.entries(set).filter(([key]) => !(key in common)));
}
