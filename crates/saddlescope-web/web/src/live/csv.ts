// The numbers that are shown as CSV: a row per run and time, with all their digits.
import { linesOf, type Line } from "../data/recording";
import { csv } from "../ui/csv";
import { plainLabel } from "../ui/plain";
import type { LiveModel } from "./model";

export function csvOf(model: LiveModel): string {
  const patterns = [...new Set(["loss", ...model.panels.value.flatMap(({ y }) => y)])];
  const runs = model.runs.value.flatMap((run) => {
    const recording = run.curve.recording.value;
    if (!recording) return [];
    const lines = patterns.flatMap((pattern) => linesOf(recording, pattern, Infinity));
    return [{ name: plainLabel(run.label), recording, lines: new Map(lines.map((line): [string, Line] => [line.name, line])) }];
  });
  const columns = [...new Set(runs.flatMap(({ lines }) => [...lines.keys()]))];
  const rows: (string | number | undefined)[][] = [["run", "time", "step", ...columns]];
  for (const { name, recording, lines } of runs) {
    for (let row = 0; row < recording.time.length; row++) {
      const values = columns.map((column) => lines.get(column)?.values[row]);
      rows.push([name, recording.time[row], recording.step[row], ...values]);
    }
  }
  return csv(rows);
}
