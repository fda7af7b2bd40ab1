// How many steps a descent takes to see the jumps that the main run has.
import type { Recording } from "../data/recording";
import { readNumber } from "./literals";

/** Beyond the last jump, so that the plateau behind it is seen. */
const BEYOND = 1.5;
const MOST_STEPS = 200_000;

/** The time up to which there is something to see. */
export function horizon(main: Recording): number {
  const jumps = main.facts?.stages?.transitions ?? [];
  const last = jumps[jumps.length - 1];
  return last ? (last.exact ?? last.time) * BEYOND : (main.time[main.time.length - 1] ?? 0);
}

/** Steps until then, of a descent whose steps are worth so much flow time per unit of their rate. */
export function horizonSteps(main: Recording | null, worth: number, rate: string | undefined): string | null {
  const size = readNumber(rate);
  if (!main?.facts || size === null || size <= 0) return null;
  const until = horizon(main);
  if (!(until > 0)) return null;
  return String(Math.min(Math.max(Math.ceil(until / (size * worth)), 10), MOST_STEPS));
}

/** What a step was worth: 1 for plain descent, more with momentum, anything where blocks have rates of their own. */
export function worthOf(descent: Recording, rate: string | undefined): number | null {
  const last = descent.time.length - 1;
  const size = readNumber(rate);
  const time = descent.time[last] ?? 0;
  const steps = descent.step[last] ?? 0;
  return size && time > 0 && steps > 0 ? time / (steps * size) : null;
}
