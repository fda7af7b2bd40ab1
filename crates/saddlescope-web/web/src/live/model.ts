// The Live view of one system: what is set, the curves that follow from it, and where people look.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { clockOf } from "../charts/extent";
import type { Companion, Declaration, RunRequest, SettingsMap } from "../data/contract";
import { fits, type Recording } from "../data/recording";
import { note } from "../shell/route";
import { announce } from "../ui/announce";
import { Curve } from "./curve";
import { effective, over, sameSettings } from "./declared";
import { horizonSteps, worthOf } from "./horizon";
import { PLAIN, queryOf, viewOf, type CompanionOn, type View } from "./link";
import { readText, writeNumber } from "./literals";
import { paced } from "./pace";
import { defaultMaps, figureOf, familiesOf, type PanelShown } from "./picks";
import { runsShown } from "./runs";
import { afterFrame, measured, now } from "./timings";
import { lossTraces } from "./traces";
import { summaryOf } from "./words";

/** Companions wait for the main curve, but not for one that takes its time. */
const COMPANIONS_WAIT = 150;

export class LiveModel {
  readonly view = signal<View>(PLAIN);
  readonly cursor = signal<number | null>(null);
  readonly playing = signal(false);
  readonly main: Curve;
  readonly companions = signal<Map<string, Curve>>(new Map());
  readonly pins = signal<Curve[]>([]);

  /** What is set, as people left it; and what of it counts. */
  readonly set = computed<SettingsMap>(() => this.view.value.set ?? this.declaration.view.set);
  readonly counting = computed(() => effective(this.declaration, this.set.value));
  readonly with = computed<CompanionOn[]>(() => this.view.value.with ?? this.declaration.view.with.map((id) => ({ id, set: {} })));
  readonly figure = computed(() => figureOf(this.main.world.value));
  readonly panels = computed<PanelShown[]>(() => {
    const chosen = this.view.value.panels;
    const own = this.figure.value.others;
    if (!chosen) return own;
    return chosen.map(({ y, scale }) => {
      const same = own.find((panel) => panel.y.join() === y.join());
      return { title: null, theory: [], range: null, ...same, y, scale };
    });
  });
  readonly maps = computed(() => this.view.value.maps ?? defaultMaps(this.main.world.value));
  readonly timeScale = computed(() => this.view.value.time ?? this.figure.value.loss.xScale);
  readonly lossScale = computed(() => this.view.value.loss ?? this.figure.value.loss.scale);
  readonly runs = computed(() => runsShown(this));
  readonly losses = computed(() => lossTraces(this.runs.value));
  /** The times that all charts cover. */
  readonly clock = computed(() => clockOf(this.losses.value, this.timeScale.value));
  /** The time that weights are looked at: never outside the run. */
  readonly at = computed<number | null>(() => {
    const recording = this.main.recording.value;
    if (!recording || recording.time.length === 0) return null;
    const end = recording.time[recording.time.length - 1] ?? 0;
    return Math.min(Math.max(this.view.value.at ?? end, recording.time[0] ?? 0), end);
  });
  /** The time that legends read: the pointer's, otherwise the scrubber's. */
  readonly reading = computed(() => this.cursor.value ?? this.at.value);

  /** What a step of each companion is worth, as its first run has shown. */
  private readonly worths = signal<Map<string, number>>(new Map());
  private moved: number | null = null;
  private announced = 0;
  private waiting = 0;
  private readonly stops: (() => void)[] = [];

  constructor(readonly declaration: Declaration) {
    this.main = new Curve((recording) => this.ended(recording), true);
    this.view.value = viewOf(location.search);
    const askMain = paced(() => this.main.ask(this.request(this.counting.value, this.wanted(true))));
    this.stops.push(
      effect(() => {
        void this.counting.value;
        void this.wanted(true);
        untracked(askMain);
      }),
      effect(() => this.askOthers()),
    );
  }

  stop(): void {
    for (const stop of this.stops) stop();
    clearTimeout(this.announced);
    clearTimeout(this.waiting);
    for (const curve of [this.main, ...this.companions.value.values(), ...this.pins.value]) curve.stop();
  }

  /** Reads the view from the address, after somebody went there. */
  arrive(query: string): void {
    this.moved = null;
    this.view.value = viewOf(query);
  }

  change(patch: Partial<View>, how: "push" | "replace" = "push"): void {
    this.view.value = { ...this.view.value, ...patch };
    note(this.url(), how);
  }

  url(): string {
    const query = queryOf(this.view.value);
    return `/live/${this.declaration.name}${query ? `?${query}` : ""}`;
  }

  /** Sets a parameter; without a literal it goes back to its default. */
  put(key: string, literal: string | null, how: "push" | "replace", event?: Event): void {
    const set = { ...this.set.value };
    if (literal === null) {
      const own = this.declaration.view.set[key];
      if (own === undefined) delete set[key];
      else set[key] = own;
    } else set[key] = literal;
    if (!sameSettings(set, this.set.value)) this.moved = now(event);
    this.replaceSet(set, how);
  }

  /** Takes other settings in place of all that are set. */
  replaceSet(set: SettingsMap, how: "push" | "replace"): void {
    const counting = effective(this.declaration, set);
    const opening = sameSettings(counting, effective(this.declaration, this.declaration.view.set));
    // What does not count at the moment is kept in mind, but not in the address.
    const url = queryOf({ ...this.view.value, set: opening ? null : counting });
    this.view.value = { ...this.view.value, set: opening ? null : set };
    note(`/live/${this.declaration.name}${url ? `?${url}` : ""}`, how);
  }

  toggle(id: string): void {
    const on = this.with.value;
    this.change({ with: on.some((one) => one.id === id) ? on.filter((one) => one.id !== id) : [...on, { id, set: {} }] });
  }

  putCompanion(id: string, key: string, literal: string | null, how: "push" | "replace"): void {
    const changed = this.with.value.map((one) => {
      if (one.id !== id) return one;
      const set = { ...one.set };
      if (literal === null) delete set[key];
      else set[key] = literal;
      return { id, set };
    });
    this.change({ with: changed }, how);
  }

  pin(): void {
    const counting = this.counting.value;
    if (this.view.value.pins.some((pin) => sameSettings(pin, counting))) return;
    this.change({ pins: [...this.view.value.pins, counting] });
  }

  unpin(at: number): void {
    this.change({ pins: this.view.value.pins.filter((_, i) => i !== at) });
  }

  /** Whether a companion can run beside these settings: theories have their conditions, and some losses have no flow. */
  applies(companion: Companion): boolean {
    const world = this.main.world.value;
    if (!world) return true;
    const theory = readText(companion.set["dynamics.theory"]);
    if (theory !== null) return world.theories.includes(theory);
    return readText(companion.set["dynamics.kind"]) !== "flow" || world.has_flow;
  }

  /** A companion's settings: those of the main run, its own, and what people gave it. */
  settingsOf(companion: Companion, own: SettingsMap): SettingsMap | null {
    const rate: SettingsMap = companion.rate === null ? {} : { "dynamics.rate": writeNumber(companion.rate) };
    const set = over(over(over(this.counting.value, companion.set), rate), own);
    if (companion.fields.includes("dynamics.steps") && own["dynamics.steps"] === undefined) {
      const steps = horizonSteps(this.main.recording.value, this.worths.value.get(companion.id) ?? 1, set["dynamics.rate"]);
      if (steps === null && set["dynamics.steps"] === undefined) return null;
      if (steps !== null) set["dynamics.steps"] = steps;
    }
    return effective(this.declaration, set);
  }

  request(set: SettingsMap, observables: string[]): RunRequest {
    const request: RunRequest = { system: this.declaration.name, set };
    return observables.length > 0 ? { ...request, observables } : request;
  }

  /** The columns that charts and maps need, as far as this world has them. */
  private wanted(maps: boolean): string[] {
    const patterns = [...this.panels.value.flatMap(({ y }) => y), ...(maps ? this.maps.value : [])];
    const world = this.main.world.value;
    const there = world ? patterns.filter((pattern) => world.observables.some(({ name }) => fits(pattern, name))) : patterns;
    return [...new Set(there)].filter((pattern) => pattern !== "loss").sort();
  }

  private askOthers(): void {
    const pins = this.view.value.pins;
    const on = this.with.value;
    const set = this.counting.value;
    const recording = this.main.recording.value;
    const columns = this.wanted(false);
    void this.worths.value;
    untracked(() => {
      this.keepCurves(
        on.map(({ id }) => id),
        pins.length,
      );
      clearTimeout(this.waiting);
      if (!recording) return;
      const ask = (): void => {
        // What the main run is refused for, the others would be refused for as well.
        if (this.main.trouble.value?.key) return;
        for (const { id, set: own } of on) {
          const companion = this.declaration.companions.find((one) => one.id === id);
          if (companion && !this.applies(companion)) this.companions.value.get(id)?.clear();
          const settings = companion && this.applies(companion) ? this.settingsOf(companion, own) : null;
          if (settings) this.companions.value.get(id)?.ask(this.request(settings, columns));
        }
        pins.forEach((pin, i) => this.pins.value[i]?.ask(this.request(pin, columns)));
      };
      // Once the main curve of these settings is drawn, or when it takes its time.
      const ready = this.main.shows(set);
      this.waiting = window.setTimeout(ask, ready ? 0 : COMPANIONS_WAIT);
    });
  }

  private keepCurves(ids: string[], pins: number): void {
    const companions = this.companions.value;
    if (ids.length !== companions.size || ids.some((id) => !companions.has(id))) {
      for (const [id, curve] of companions) if (!ids.includes(id)) curve.stop();
      this.companions.value = new Map(
        ids.map((id) => [id, companions.get(id) ?? new Curve((recording) => this.weigh(id, recording), false)]),
      );
    }
    const curves = this.pins.value;
    if (curves.length !== pins) {
      for (const curve of curves) curve.stop();
      this.pins.value = Array.from({ length: pins }, () => new Curve(() => undefined, false));
    }
  }

  private weigh(id: string, recording: Recording): void {
    const rate = this.companionRate(id);
    const worth = this.worths.value.has(id) ? null : worthOf(recording, rate);
    if (worth !== null) this.worths.value = new Map(this.worths.value).set(id, worth);
  }

  private companionRate(id: string): string | undefined {
    const companion = this.declaration.companions.find((one) => one.id === id);
    const own = this.with.value.find((one) => one.id === id)?.set ?? {};
    return companion && (this.settingsOf(companion, own)?.["dynamics.rate"] ?? undefined);
  }

  private ended(recording: Recording): void {
    const from = this.moved;
    this.moved = null;
    if (from !== null) afterFrame(() => measured(this.declaration.name, from, (recording.facts?.seconds ?? 0) * 1000));
    clearTimeout(this.announced);
    this.announced = window.setTimeout(() => announce(summaryOf(recording)), 700);
  }

  /** Moves the scrubber by rows of the recording. */
  step(by: number | "first" | "last", how: "push" | "replace" = "push"): void {
    const recording = this.main.recording.value;
    const at = this.at.value;
    if (!recording || at === null) return;
    const times = recording.time;
    const row = times.findIndex((time) => time >= at);
    const here = row < 0 ? times.length - 1 : row;
    const target = by === "first" ? 0 : by === "last" ? times.length - 1 : Math.min(Math.max(here + by, 0), times.length - 1);
    this.change({ at: times[target] ?? null }, how);
  }

  /** Shows a part of the time around the scrubber, or more of it, as the axis has it. */
  zoomBy(factor: number): void {
    const at = this.at.value;
    if (at === null) return;
    const log = this.timeScale.value === "log";
    const [to, from] = log ? [Math.log, Math.exp] : [Number, Number];
    const [first, last] = this.clock.value.map((end) => to(end)) as [number, number];
    const [low, high] = (this.view.value.zoom ?? this.clock.value).map((end) => to(end)) as [number, number];
    const middle = Math.min(Math.max(to(log ? Math.max(at, from(first)) : at), low), high);
    const ends = [Math.max(middle - (middle - low) * factor, first), Math.min(middle + (high - middle) * factor, last)] as const;
    const whole = ends[0] <= first && ends[1] >= last;
    if (ends[1] > ends[0]) this.change({ zoom: whole ? null : [from(ends[0]), from(ends[1])] });
  }

  families(): ReturnType<typeof familiesOf> {
    return familiesOf(this.main.world.value);
  }

  startFrom(set: SettingsMap): void {
    batch(() => {
      this.moved = now();
      this.view.value = { ...this.view.value, at: null, zoom: null };
      this.replaceSet(set, "push");
    });
  }
}
