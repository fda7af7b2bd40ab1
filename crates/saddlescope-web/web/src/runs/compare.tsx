// Chosen runs side by side: one chart, and what each came to.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Swatch } from "../charts/legend";
import { short } from "../data/format";
import type { Recording } from "../data/recording";
import { differing } from "../live/names";
import type { Watched } from "../data/watch";
import { Markup } from "../ui/markup";
import { Table, type TableColumn } from "../ui/table";
import type { ListView } from "./address";
import { acrossRuns, RunChart, strokeOf } from "./chart";
import { StateMark } from "./state";
import { inAddress, watchRun, type StoredRun } from "./stored";

/** Watches the runs at these paths, each from when it is chosen until it is not. */
function useRuns(paths: string[]): Map<string, Watched<StoredRun>> {
  const runs = useRef(new Map<string, Watched<StoredRun>>());
  for (const path of paths) if (!runs.current.has(path)) runs.current.set(path, watchRun(path));
  for (const [path, run] of runs.current) {
    if (paths.includes(path)) continue;
    run.stop();
    runs.current.delete(path);
  }
  useEffect(() => () => runs.current.forEach((run) => run.stop()), []);
  return runs.current;
}

interface Row {
  path: string;
  label: string;
  place: number;
  run: StoredRun | null;
  trouble: string | null;
}

/** What tells paths apart: all but the folders that they share. */
export function labelsOf(paths: string[]): string[] {
  const split = paths.map((path) => path.split("/"));
  const first = split[0] ?? [];
  let shared = 0;
  while (shared < first.length - 1 && split.every((parts) => parts.length > shared + 1 && parts[shared] === first[shared])) shared++;
  return split.map((parts) => parts.slice(shared).filter((part) => part !== "runs").join("/"));
}

export function Compare({ view, onChange }: { view: ListView; onChange: (change: Partial<ListView>) => void }): JSX.Element {
  const runs = useRuns(view.chosen);
  const labels = labelsOf(view.chosen);
  const rows = view.chosen.map((path, place): Row => {
    const watched = runs.get(path);
    return { path, place, label: labels[place] ?? path, run: watched?.value.value ?? null, trouble: watched?.trouble.value ?? null };
  });
  const there = rows.flatMap(({ path, label, run }) => (run ? [{ key: path, label, recording: run.recording }] : []));
  const columns = [...new Set(there.flatMap(({ recording }) => [...recording.columns.keys()]))];
  const label = there.map(({ recording }) => recording.columns.get(view.column)?.column.label).find(Boolean) ?? view.column;
  return (
    <div class="compare">
      <RunChart
        name="Comparison"
        title={
          <>
            <select class="plain-select" aria-label="What is drawn" value={view.column} onChange={(event) => onChange({ column: event.currentTarget.value })}>
              {(columns.includes(view.column) ? columns : [view.column, ...columns]).map((name) => <option key={name} value={name}>{name}</option>)}
            </select>{" "}
            <span class="faint"><Markup text={label} /></span>
          </>
        }
        traces={acrossRuns(there, view.column)}
        axes={view.axes}
        onAxes={(change) => onChange({ axes: { ...view.axes, ...change } })}
        summary={`${view.column} of ${there.map(({ label: name }) => name).join(", ")} over time`}
      />
      <Outcomes rows={rows} />
    </div>
  );
}

function Outcomes({ rows }: { rows: Row[] }): JSX.Element {
  const stages = (row: Row): Recording["facts"] => row.run?.recording.facts ?? null;
  const jumps = Math.min(Math.max(0, ...rows.map((row) => stages(row)?.stages?.transitions.length ?? 0)), 8);
  const last = (row: Row): number | null => stages(row)?.phases.at(-1)?.loss ?? row.run?.recording.columns.get("loss")?.values.at(-1) ?? null;
  const columns: TableColumn<Row>[] = [
    { head: "run", cell: ({ path, label, place }) => <><Swatch {...strokeOf(place)} /> <a href={`/runs/${inAddress(path)}`}>{label}</a></> },
    { head: "state", cell: ({ run, trouble }) => (run ? <StateMark entry={run.stored.entry} /> : trouble ? <span class="trouble">{trouble}</span> : "…") },
    { head: "last loss", number: true, cell: (row) => (row.run ? short(last(row), 5) : "") },
    { head: "jumps", number: true, cell: (row) => stages(row)?.stages?.transitions.length ?? "" },
    ...Array.from({ length: jumps }, (_, i): TableColumn<Row> => ({
      head: `jump ${i + 1} at`,
      number: true,
      cell: (row) => {
        const jump = stages(row)?.stages?.transitions[i];
        return jump ? short(jump.exact ?? jump.time) : "";
      },
    })),
    ...differing(rows.flatMap(({ run }) => (run?.stored.live ? [run.stored.live.set] : []))).slice(0, 4).map((key): TableColumn<Row> => ({ head: key, number: true, cell: ({ run }) => run?.stored.live?.set[key]?.replaceAll('"', "") ?? <span class="faint">default</span> })),
  ];
  return <div class="outcomes"><Table caption="Stages side by side" rows={rows} columns={columns} /></div>;
}
