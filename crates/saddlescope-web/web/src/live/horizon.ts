// How many steps a descent takes to see the jumps that the main run has.
import type { Recording } from "../data/recording";
import { readNumber } from "./literals";

/** Beyond the last jump, so that the plateau behind it is seen. */
const BEYOND = 1.5;
const MOST_STEPS = 200_000;

/** The time up to which there is something to see. */
export function horizon(main: Recording): number {
  const jumps = main.facts?.stages?.jumps ?? [];
  const last = jumps[jumps.length - 1];
  return last ? (last.exact ?? last.time) * BEYOND : (main.time[main.time.length - 1] ?? 0);
}

/** Steps on the clock of the flow; what a step is worth is read off an earlier descent where there was one. */
export function horizonSteps(main: Recording | null, earlier: Recording | null, rate: string | undefined): string | null {
  const size = readNumber(rate);
  if (!main?.facts || size === null || size <= 0) return null;
  const until = horizon(main);
  if (!(until > 0)) return null;
  return String(Math.min(Math.max(Math.ceil(until / (size * worth(earlier))), 10), MOST_STEPS));
}

/** Flow time per step and rate: 1, unless blocks have rates of their own or time another unit. */
function worth(earlier: Recording | null): number {
  const last = (earlier?.time.length ?? 0) - 1;
  const text = /^rate = (\S+)/m.exec(earlier?.world.toml ?? "")?.[1];
  const rate = text === undefined ? null : readNumber(text);
  const time = earlier?.time[last] ?? 0;
  const steps = earlier?.step[last] ?? 0;
  if (!rate || !(time > 0) || !(steps > 0)) return 1;
  return time / (steps * rate);
}
