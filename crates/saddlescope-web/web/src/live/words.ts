// What a run came to, in words: for those who hear it, and for the line below the charts.
import type { Trace } from "../charts/trace";
import { counted, short } from "../data/format";
import type { Recording } from "../data/recording";
import { plainLabel } from "../ui/plain";

export function summaryOf(recording: Recording): string {
  const { facts } = recording;
  if (!facts) {
    const last = recording.time.length - 1;
    return `under way: time ${short(recording.time[last])}, loss ${short(recording.columns.get("loss")?.values[last])}`;
  }
  if (facts.error) return `the run failed: ${facts.error}`;
  const last = facts.phases[facts.phases.length - 1];
  const end = last ? `; ends at time ${short(last.time)} with loss ${short(last.loss)}` : "";
  return `${stagesIn(recording)}${end}`;
}

export function stagesIn(recording: Recording): string {
  const stages = recording.facts?.stages;
  if (!stages) return recording.facts?.no_stages ?? "stages not known yet";
  const jumps = stages.transitions.length;
  const first = stages.transitions[0];
  const when = first ? `; first jump at ${short(first.exact ?? first.time, 3)}` : "";
  return `${counted(stages.plateaus.length, "plateau")}, ${counted(jumps, "jump")}${when}`;
}

const MOST_LINES = 8;

/** A chart for those who do not see it: where its lines begin and end. */
export function chartInWords(what: string, recording: Recording | null, traces: Trace[]): string {
  if (!recording) return `${what}: no run yet`;
  const until = short(recording.time[recording.time.length - 1]);
  const told = traces.filter(({ untold }) => !untold);
  const lines = told.slice(0, MOST_LINES).map(({ label, y }) => `${plainLabel(label)} from ${short(y[0])} to ${short(y[y.length - 1])}`);
  const more = told.length > MOST_LINES ? `, and ${told.length - MOST_LINES} more` : "";
  return `${what} over time 0 to ${until}: ${lines.join(", ")}${more}; ${stagesIn(recording)}`;
}
