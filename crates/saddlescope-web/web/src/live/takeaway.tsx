// Take away: pictures, numbers, files and lines that give the same again.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { post, words } from "../data/fetch";
import { announce } from "../ui/announce";
import { Menu } from "../ui/menu";
import { save } from "../ui/save";
import { Trouble } from "../ui/trouble";
import { csvOf } from "./csv";
import type { LiveModel } from "./model";
import { exportOf } from "./export";
import { obstacle } from "./obstacle";

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
  save(new Blob([csvOf(model)], { type: "text/csv" }), `${model.declaration.name}.csv`);
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
