// The Live view of one system: what is set, the curves that follow from it, and where people look.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { clockOf } from "../charts/extent";
import type { Declaration, RunRequest, SettingsMap } from "../data/contract";
import { fits, type Recording } from "../data/recording";
import { note } from "../shell/route";
import { announce } from "../ui/announce";
import { Beside } from "./beside";
import { Curve } from "./curve";
import { effective, sameSettings } from "./declared";
import { PLAIN, queryOf, viewOf, type CompanionOn, type View } from "./link";
import { paced } from "./pace";
import { defaultMaps, figureOf, familiesOf, type PanelShown } from "./picks";
import { runsShown } from "./runs";
import { afterFrame, measured, now } from "./timings";
import { lossTraces } from "./traces";
import { summaryOf } from "./words";

/** Browsers are slow to write addresses, and refuse to do it at every move of a hand. */
const REST = 120;

export class LiveModel {
  readonly view = signal<View>(PLAIN);
  readonly cursor = signal<number | null>(null);
  readonly playing = signal(false);
  readonly main: Curve;
  readonly beside: Beside;

  /** What is set, as people left it; and what of it counts. */
  readonly set = computed<SettingsMap>(() => this.view.value.set ?? this.declaration.view.set);
  readonly counting = computed(() => effective(this.declaration, this.set.value));
  readonly with = computed<CompanionOn[]>(() => this.view.value.with ?? this.declaration.view.with.map((id) => ({ id, set: {} })));
  readonly figure = computed(() => figureOf(this.main.problem.value));
  readonly panels = computed<PanelShown[]>(() => {
    const chosen = this.view.value.panels;
    const own = this.figure.value.others;
    if (!chosen) return own;
    return chosen.map(({ y, scale }) => {
      const same = own.find((panel) => panel.y.join() === y.join());
      return { title: null, theory: [], range: null, ...same, y, scale };
    });
  });
  readonly maps = computed(() => this.view.value.maps ?? defaultMaps(this.main.problem.value));
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

  /** When the hand moved, until the run that it wants is asked for. */
  private moved: number | null = null;
  private announced = 0;
  private noting = 0;
  private readonly end: () => void;

  constructor(readonly declaration: Declaration) {
    this.main = new Curve((recording, moved) => this.ended(recording, moved), true);
    this.view.value = viewOf(location.search);
    const askMain = paced(() => this.askMain());
    this.end = effect(() => {
      void this.counting.value;
      void this.wanted(true);
      untracked(askMain);
    });
    this.beside = new Beside(this);
  }

  stop(): void {
    this.end();
    this.beside.stop();
    this.main.stop();
    clearTimeout(this.announced);
    clearTimeout(this.noting);
  }

  /** Reads the view from the address, after somebody went there. */
  arrive(query: string): void {
    this.moved = null;
    clearTimeout(this.noting);
    this.view.value = viewOf(query);
  }

  change(patch: Partial<View>, how: "push" | "replace" = "push"): void {
    this.view.value = { ...this.view.value, ...patch };
    clearTimeout(this.noting);
    if (how === "push") note(this.url(), how);
    else this.noting = window.setTimeout(() => note(this.url(), how), REST);
  }

  /** The address of the view. What does not count at the moment is kept in mind, but not in the address. */
  url(): string {
    const { set } = this.view.value;
    const query = queryOf({ ...this.view.value, set: set && effective(this.declaration, set) });
    return `/live/${this.declaration.name}${query ? `?${query}` : ""}`;
  }

  /** Sets a parameter; without a literal it goes back to its default. */
  put(key: string, literal: string | null, how: "push" | "replace", event?: Event): void {
    const set = { ...this.set.value };
    const next = literal ?? this.declaration.view.set[key];
    if (next === undefined) delete set[key];
    else set[key] = next;
    this.replaceSet(set, how, event);
  }

  /** Takes other settings in place of all that are set. */
  replaceSet(set: SettingsMap, how: "push" | "replace", event?: Event): void {
    const counting = effective(this.declaration, set);
    if (!sameSettings(counting, this.counting.value)) this.moved = now(event);
    const opening = sameSettings(counting, effective(this.declaration, this.declaration.view.set));
    this.change({ set: opening ? null : set }, how);
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

  request(set: SettingsMap, observables: string[]): RunRequest {
    const request: RunRequest = { system: this.declaration.name, set };
    return observables.length > 0 ? { ...request, observables } : request;
  }

  /** The columns that charts and maps need, as far as this problem has them. */
  wanted(maps: boolean): string[] {
    const patterns = [...this.panels.value.flatMap(({ y }) => y), ...(maps ? this.maps.value : [])];
    const problem = this.main.problem.value;
    const there = problem ? patterns.filter((pattern) => problem.observables.some(({ name }) => fits(pattern, name))) : patterns;
    return [...new Set(there)].filter((pattern) => pattern !== "loss").sort();
  }

  private askMain(): void {
    this.main.ask(this.request(this.counting.value, this.wanted(true)), this.moved);
    this.moved = null;
  }

  private ended(recording: Recording, moved: number | null): void {
    if (moved !== null) afterFrame(() => measured(this.declaration.name, moved, (recording.facts?.seconds ?? 0) * 1000));
    clearTimeout(this.announced);
    this.announced = window.setTimeout(() => announce(summaryOf(recording)), 700);
  }

  families(): ReturnType<typeof familiesOf> {
    return familiesOf(this.main.problem.value);
  }

  startFrom(set: SettingsMap): void {
    batch(() => {
      this.view.value = { ...this.view.value, at: null, zoom: null };
      this.replaceSet(set, "push");
    });
  }
}
