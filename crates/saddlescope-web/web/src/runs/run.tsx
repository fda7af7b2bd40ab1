// One stored run: its curves, its stages, its figure.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { sizeOf } from "../data/recording";
import type { DataColumn } from "../data/stored";
import { StageTable } from "../live/stages";
import { lossMarks } from "../live/traces";
import { chartInWords, summaryOf } from "../live/words";
import { addressOf, note } from "../shell/route";
import { DataTable, SaveCsv } from "../ui/data-table";
import { Markup } from "../ui/markup";
import { axesOf, pairsOf } from "./address";
import { ofRun, RunChart, type Axes } from "./chart";
import { StoredFigure, StoredHead } from "./head";
import { inAddress, type StoredRun } from "./stored";

/** Rows of the data that are shown; the file has all. */
const SHOWN = 200;
/** Panels of the system's own figure that are drawn, at most. */
const PANELS = 6;

export function RunPage({ run: { recording, stored }, query }: { run: StoredRun; query: string }): JSX.Element {
  const panels = recording.problem.figure.filter(({ y }) => !y.includes("loss")).slice(0, PANELS);
  const first = recording.problem.figure.find(({ y }) => y.includes("loss"));
  const plain: Axes = { time: first?.x_scale ?? "log", value: first?.y_scale ?? "linear", zoom: null };
  const axes = axesOf(new URLSearchParams(query), plain);
  const look = (change: Partial<Axes>): void => {
    note(addressOf(`/runs/${inAddress(stored.path)}`, pairsOf({ ...axes, ...change }, plain)), "push");
  };
  const { entry } = stored;
  const head = <StoredHead entry={entry} about={stored.about} live={stored.live} files={filesOf(stored)} />;
  if (entry.state === "running" && recording.time.length === 0)
    return (
      <>
        {head}
        <p class="meaning air" role="status">nothing has been written yet; a run is kept leg by leg</p>
      </>
    );
  const label = recording.columns.get("loss")?.column.label ?? "loss";
  return (
    <>
      {head}
      <p class="meaning air" role="status">
        {summaryOf(recording)}
        {stored.thinned && `; ${recording.time.length} of ${stored.rows} rows are drawn, every jump and extremum among them`}
        {stored.left_out.length > 0 && `; too wide to be drawn: ${stored.left_out.join(", ")}`}
      </p>
      <RunChart
        name="Loss"
        title={<Markup text={label} />}
        traces={ofRun(recording, ["loss"])}
        marks={lossMarks(recording, true)}
        axes={axes}
        onAxes={look}
        summary={chartInWords("loss", recording, ofRun(recording, ["loss"]))}
      />
      <div class="run-panels">
        {panels.map(({ title, y, y_scale }, i) => {
          const traces = ofRun(recording, y);
          return traces.length > 0 && <RunChart key={i} small name={title ?? y.join(", ")} title={<Markup text={title ?? y.join(", ")} />} traces={traces} axes={{ ...axes, value: y_scale }} onAxes={({ zoom }) => zoom !== undefined && look({ zoom })} summary={`${y.join(", ")} over time`} />;
        })}
      </div>
      <StageTable recording={recording} heard={false} digits={5} />
      {entry.figure && <StoredFigure path={entry.path} changed={entry.changed} about={stored.about ?? `The figure of ${entry.path}`} />}
      <Recorded run={{ recording, stored }} />
    </>
  );
}

/** The files to take away; of a run that is under way, they come and go. */
function filesOf({ entry, files }: StoredRun["stored"]): string[] {
  const lasting = entry.state === "finished" || entry.state === "failed";
  return ["run.toml", ...(lasting ? files.filter((name) => /\.(json|parquet)$/.test(name)) : [])];
}

/** Time, step and single numbers, as a table. */
function Recorded({ run: { recording, stored } }: { run: StoredRun }): JSX.Element {
  const [open, setOpen] = useState(false);
  const [sort, setSort] = useState("time");
  const number = (name: string, values: Float64Array): DataColumn => ({ name, type: "number", values: [...values].map((v) => (Number.isNaN(v) ? null : v)) });
  const columns = (): DataColumn[] => [
    number("time", recording.time),
    { ...number("step", recording.step), type: "integer" },
    ...[...recording.columns.values()].filter(({ column }) => sizeOf(column.shape) === 1).map(({ column, values }) => number(column.name, values)),
  ];
  const all = open ? columns() : [];
  return (
    <section class="data" aria-label="Data">
      <div class="panel-head">
        <h2>Data</h2>
        <div class="tools">
          <button type="button" class="quiet small" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "hide the table" : "show as a table"}</button>
          {open && <SaveCsv columns={all} name={stored.path.split("/").at(-1) ?? "run"} />}
        </div>
      </div>
      {open && <DataTable caption="Recorded numbers" columns={all.map((column) => ({ ...column, values: column.values.slice(0, SHOWN) }))} sort={sort} onSort={setSort} />}
      {open && recording.time.length > SHOWN && <p class="faint air">The first {SHOWN} of {recording.time.length} rows; the CSV has all.</p>}
    </section>
  );
}
