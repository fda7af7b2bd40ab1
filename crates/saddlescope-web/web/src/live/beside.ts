// What runs beside the main run: companions from the same start, and pinned runs.
import { effect, signal, untracked } from "@preact/signals";
import type { Companion, SettingsMap } from "../data/contract";
import type { Recording } from "../data/recording";
import { Curve } from "./curve";
import { effective } from "./declared";
import { readNumber, readText, writeNumber } from "./literals";
import type { LiveModel } from "./model";

/** The others wait for the main curve, but not for one that takes its time. */
const WAIT = 150;

export class Beside {
  readonly companions = signal<Map<string, Curve>>(new Map());
  readonly pins = signal<Curve[]>([]);

  /** What a step of each companion is worth, as its first run has shown. */
  private readonly worths = signal<Map<string, number>>(new Map());
  /** Pinned settings, as text, with their curves: one that stays is not computed again. */
  private pinned = new Map<string, Curve>();
  private waiting = 0;
  private readonly end: () => void;

  constructor(private readonly model: LiveModel) {
    this.end = effect(() => this.follow());
  }

  stop(): void {
    this.end();
    clearTimeout(this.waiting);
    for (const curve of [...this.companions.value.values(), ...this.pins.value]) curve.stop();
  }

  /** Whether a companion can run beside these settings: theories have their conditions, and some losses have no flow. */
  applies(companion: Companion): boolean {
    const problem = this.model.main.problem.value;
    if (!problem) return true;
    const theory = readText(companion.set["dynamics.theory"]);
    if (theory !== null) return problem.theories.includes(theory);
    return readText(companion.set["dynamics.kind"]) !== "flow" || problem.has_flow;
  }

  /** A companion's settings: those of the main run, its own, and what people gave it; nothing while its steps are not known. */
  settingsOf(companion: Companion, own: SettingsMap): SettingsMap | null {
    const rate: SettingsMap = companion.rate === null ? {} : { "dynamics.rate": writeNumber(companion.rate) };
    const set = { ...this.model.counting.value, ...companion.set, ...rate, ...own };
    if (companion.fields.includes("dynamics.steps") && own["dynamics.steps"] === undefined) {
      const worth = this.worths.value.get(companion.id) ?? 1;
      const steps = horizonSteps(this.model.main.recording.value, worth, set["dynamics.rate"]);
      if (steps === null && set["dynamics.steps"] === undefined) return null;
      if (steps !== null) set["dynamics.steps"] = steps;
    }
    return effective(this.model.declaration, set);
  }

  /** Runs again whenever the main run, or what is asked for beside it, has changed. */
  private follow(): void {
    const { model } = this;
    const pins = model.view.value.pins;
    const ids = model.with.value.map(({ id }) => id);
    const set = model.counting.value;
    const recording = model.main.recording.value;
    void model.wanted(false);
    void this.worths.value;
    untracked(() => {
      this.keepCompanions(ids);
      this.keepPins(pins);
      clearTimeout(this.waiting);
      // Once the main curve of these settings is drawn, or when it takes its time.
      if (recording) this.waiting = window.setTimeout(() => this.ask(), model.main.shows(set) ? 0 : WAIT);
    });
  }

  private ask(): void {
    const { model } = this;
    // What the main run is refused for, the others would be refused for as well.
    if (model.main.trouble.value?.key) return;
    const columns = model.wanted(false);
    for (const { id, set: own } of model.with.value) {
      const curve = this.companions.value.get(id);
      const companion = this.companion(id);
      const settings = companion && this.applies(companion) ? this.settingsOf(companion, own) : null;
      if (settings) curve?.ask(model.request(settings, columns));
      else curve?.clear();
    }
    model.view.value.pins.forEach((pin, i) => this.pins.value[i]?.ask(model.request(pin, columns)));
  }

  private keepCompanions(ids: string[]): void {
    const now = this.companions.value;
    if (ids.length === now.size && ids.every((id) => now.has(id))) return;
    for (const [id, curve] of now) if (!ids.includes(id)) curve.stop();
    const curve = (id: string): Curve => now.get(id) ?? new Curve((recording) => this.weigh(id, recording), false);
    this.companions.value = new Map(ids.map((id) => [id, curve(id)]));
  }

  private keepPins(pins: SettingsMap[]): void {
    const keys = pins.map((pin) => JSON.stringify(pin));
    const kept = new Map(keys.map((key) => [key, this.pinned.get(key) ?? new Curve(() => undefined, false)]));
    if (kept.size === this.pinned.size && keys.every((key) => this.pinned.has(key))) return;
    for (const [key, curve] of this.pinned) if (!kept.has(key)) curve.stop();
    this.pinned = kept;
    this.pins.value = keys.flatMap((key) => kept.get(key) ?? []);
  }

  private companion(id: string): Companion | undefined {
    return this.model.declaration.companions.find((one) => one.id === id);
  }

  private weigh(id: string, recording: Recording): void {
    const companion = this.companion(id);
    if (!companion || this.worths.value.has(id)) return;
    const own = this.model.with.value.find((one) => one.id === id)?.set ?? {};
    const worth = worthOf(recording, this.settingsOf(companion, own)?.["dynamics.rate"]);
    if (worth !== null) this.worths.value = new Map(this.worths.value).set(id, worth);
  }
}

/** Beyond the last jump, so that the plateau behind it is seen. */
const BEYOND = 1.5;
const MOST_STEPS = 200_000;

/** The time up to which there is something to see. */
function horizon(main: Recording): number {
  const jumps = main.facts?.stages?.transitions ?? [];
  const last = jumps[jumps.length - 1];
  return last ? (last.exact ?? last.time) * BEYOND : (main.time[main.time.length - 1] ?? 0);
}

/** Steps until then, of a descent whose steps are worth so much flow time per unit of their rate. */
function horizonSteps(main: Recording | null, worth: number, rate: string | undefined): string | null {
  const size = readNumber(rate);
  if (!main?.facts || size === null || size <= 0) return null;
  const until = horizon(main);
  if (!(until > 0)) return null;
  return String(Math.min(Math.max(Math.ceil(until / (size * worth)), 10), MOST_STEPS));
}

/** What a step was worth: 1 for plain descent, more with momentum, anything where blocks have rates of their own. */
function worthOf(descent: Recording, rate: string | undefined): number | null {
  const last = descent.time.length - 1;
  const size = readNumber(rate);
  const time = descent.time[last] ?? 0;
  const steps = descent.step[last] ?? 0;
  return size && time > 0 && steps > 0 ? time / (steps * size) : null;
}
