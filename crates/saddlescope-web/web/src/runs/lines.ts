// Lines of stored runs.
import type { Trace } from "../charts/trace";
import { linesOf, type Recording } from "../data/recording";
import { DASHES, ink } from "../shell/theme";

/** Entries of one column of one run that are drawn, at most. */
const ENTRIES = 16;

/** The colour and dashes of the line at a place: those who do not see colours tell lines apart by dashes. */
export function strokeOf(place: number): { colour: string; dash: number[] } {
  const { lines } = ink.value;
  return { colour: lines[place % lines.length] ?? "", dash: DASHES[(place + Math.floor(place / lines.length)) % DASHES.length] ?? [] };
}

/** One column of several runs, a colour each. */
export function acrossRuns(runs: { key: string; label: string; recording: Recording }[], column: string): Trace[] {
  return runs.flatMap(({ key, label, recording }, place) => {
    const { colour, dash } = strokeOf(place);
    return linesOf(recording, column, ENTRIES).map((line, i): Trace => ({ key: `${key} ${line.name}`, label, x: recording.time, y: line.values, colour, dash, width: 1.6, untold: i > 0 }));
  });
}

/** Columns of one run, a colour each. */
export function ofRun(recording: Recording, patterns: string[]): Trace[] {
  return patterns.flatMap((pattern) => linesOf(recording, pattern, 64)).map((line, place): Trace => {
    const { colour, dash } = strokeOf(place);
    return { key: line.name, label: line.label, x: recording.time, y: line.values, colour, dash, width: 1.5 };
  });
}
