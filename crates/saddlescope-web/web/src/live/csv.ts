// The numbers that are shown as CSV: a row per run and time, with all their digits.
import { linesOf, type Line } from "../data/recording";
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
  const rows = [["run", "time", "step", ...columns].map(quoted).join(",")];
  for (const { name, recording, lines } of runs) {
    for (let row = 0; row < recording.time.length; row++) {
      const values = columns.map((column) => number(lines.get(column)?.values[row]));
      rows.push([quoted(name), number(recording.time[row]), number(recording.step[row]), ...values].join(","));
    }
  }
  return `${rows.join("\n")}\n`;
}

/** The shortest digits that give the same number back; nothing where a run has no such column. */
function number(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? "" : String(value);
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
