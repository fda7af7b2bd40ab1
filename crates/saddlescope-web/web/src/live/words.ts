// What a run came to, in words: for those who hear it, and for the line below the charts.
import { counted, short } from "../data/format";
import type { Recording } from "../data/recording";

export function summaryOf(recording: Recording): string {
  const { facts } = recording;
  if (!facts) {
    const last = recording.time.length - 1;
    return `under way: time ${short(recording.time[last])}, loss ${short(recording.columns.get("loss")?.values[last])}`;
  }
  if (facts.failure) return `the run failed: ${facts.failure}`;
  const last = facts.endings[facts.endings.length - 1];
  const end = last ? `; ends at time ${short(last.time)} with loss ${short(last.loss)}` : "";
  return `${stagesIn(recording)}${end}`;
}

export function stagesIn(recording: Recording): string {
  const stages = recording.facts?.stages;
  if (!stages) return recording.facts?.no_stages ?? "stages not known yet";
  const jumps = stages.jumps.length;
  const first = stages.jumps[0];
  const when = first ? `; first jump at ${short(first.exact ?? first.time, 3)}` : "";
  return `${counted(stages.plateaus.length, "plateau")}, ${counted(jumps, "jump")}${when}`;
}

/** A chart for those who do not see it. */
export function chartInWords(what: string, recording: Recording | null): string {
  if (!recording) return `${what}: no run yet`;
  const loss = recording.columns.get("loss")?.values;
  const last = recording.time.length - 1;
  const range = loss ? ` from ${short(loss[0])} to ${short(loss[last])}` : "";
  return `${what} over time 0 to ${short(recording.time[last])}${what === "loss" ? range : ""}; ${stagesIn(recording)}`;
}
