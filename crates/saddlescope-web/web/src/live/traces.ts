// Lines and marks of the charts, from the runs and from what theory says about the main one.
import { NO_MARKS, type Band, type Marks, type Trace } from "../charts/trace";
import type { Says, Stages } from "../data/contract";
import { fits, linesOf, type Recording } from "../data/recording";
import { DASHES, ink } from "../shell/theme";
import type { RunShown } from "./runs";

const THEORY_DASH = [4, 3];

/** The losses of all runs, a colour each. */
export function lossTraces(runs: RunShown[]): Trace[] {
  const traces = runs.flatMap((run): Trace[] => {
    const recording = run.curve.recording.value;
    const loss = recording?.columns.get("loss");
    if (!recording || !loss) return [];
    const { key, label, colour, dash, width } = run;
    return [{ key, label, x: recording.time, y: loss.values, colour, dash, width, dimmed: dimmed(run) }];
  });
  return [...traces, ...theoryOf(runs, "loss", ink.value.soft)];
}

/** Columns of all runs: a colour per column, the dashes of its run. */
export function columnTraces(runs: RunShown[], patterns: string[]): Trace[] {
  const { lines: colours } = ink.value;
  const places = new Map<string, number>();
  const traces: Trace[] = [];
  for (const run of runs) {
    const recording = run.curve.recording.value;
    if (!recording) continue;
    for (const line of patterns.flatMap((pattern) => linesOf(recording, pattern))) {
      if (!places.has(line.name)) places.set(line.name, places.size);
      const place = places.get(line.name) ?? 0;
      traces.push({
        key: `${run.key} ${line.name}`,
        label: line.label,
        x: recording.time,
        y: line.values,
        colour: colours[place % colours.length] ?? "",
        dash: dashOf(run.dash, Math.floor(place / colours.length)),
        width: run.key === "main" ? 1.8 : 1.3,
        dimmed: dimmed(run),
        untold: run.key !== "main",
      });
    }
  }
  for (const [name, place] of places) traces.push(...theoryOf(runs, name, colours[place % colours.length] ?? ""));
  return traces;
}

/** When the colours come round again, lines differ in their dashes: a solid line gets some, a dashed one longer ones. */
export function dashOf(run: number[], round: number): number[] {
  if (round === 0) return run;
  if (run.length > 0) return run.map((length) => length * (1 + round));
  return DASHES[DASHES.length - 1 - ((round - 1) % (DASHES.length - 1))] ?? [];
}

function dimmed({ curve }: RunShown): boolean {
  return curve.stale.value || curve.trouble.value !== null;
}

/** The curves that theory has of a column of the main run. */
function theoryOf([main]: RunShown[], column: string, colour: string): Trace[] {
  const style = { colour, dash: THEORY_DASH, width: 1.2, untold: true, theory: true };
  return (main?.curve.recording.value?.facts?.predictions ?? []).flatMap(({ name, of, label, says }) => {
    if (says.kind !== "curve" || of !== column) return [];
    return [{ ...style, key: `theory ${name} ${of}`, label, x: says.value.time, y: says.value.value }];
  });
}

/** Plateaus and times that theory names for the loss, and the stages that were found in it. */
export function lossMarks(recording: Recording | null, stages: boolean): Marks {
  if (!recording) return NO_MARKS;
  const marks = columnMarks(recording, ["loss"]);
  if (marks.levels.length === 0) marks.levels = recording.problem.levels.map((value) => ({ value, label: "theory" }));
  const found = recording.facts?.stages;
  if (stages && found) marks.bands = bandsOf(found);
  return marks;
}

export function columnMarks(recording: Recording | null, patterns: string[]): Marks {
  const marks: Marks = { levels: [], instants: [], bands: [] };
  for (const { of, label, says } of recording?.facts?.predictions ?? []) {
    const here = patterns.some((pattern) => fits(pattern, of));
    // A crossing of the loss is a time, too.
    const crossing = says.kind === "number" && of.startsWith("crossing.") && patterns.includes("loss");
    const values = listOf(says).filter(Number.isFinite);
    if (says.kind === "levels" && here) marks.levels.push(...values.map((value) => ({ value, label })));
    if (crossing || (says.kind === "instants" && (here || of === "time"))) marks.instants.push(...values.map((time) => ({ time, label })));
  }
  return marks;
}

/** What a prediction says in one list. */
function listOf(says: Says): number[] {
  if (says.kind === "number") return [says.value];
  return says.kind === "levels" || says.kind === "instants" ? says.value : [];
}

/** The plateaus, with their numbers. */
function bandsOf({ plateaus }: Stages): Band[] {
  return plateaus.map(({ from, to }, i) => ({ from, to, label: String(i + 1) }));
}
