// Why nothing can be taken away at the moment: what is shown would not be what is set.
import type { SettingsMap } from "../data/contract";
import type { Curve } from "./curve";

/** In words; nothing where the curve is of these settings, even if its run failed on the way. */
export function obstacle(curve: Curve, set: SettingsMap): string | null {
  if (curve.shows(set)) return null;
  const trouble = curve.trouble.value;
  if (trouble?.key) return `\`${trouble.key}\` is wrong: mend it first`;
  if (trouble) return `the run has trouble (${trouble.words}): mend it first`;
  const recording = curve.recording.value;
  if (!recording) return "there is no run yet: wait for the first one";
  // A run that is whole, but of other settings, is about to give way.
  if (curve.stale.value || recording.facts) return "what is drawn is of older settings: wait for the new run";
  return null;
}
