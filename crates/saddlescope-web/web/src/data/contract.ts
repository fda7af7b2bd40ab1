// What the server says, as types: the contract between page and program.

/** Settings on top of a system's declared defaults: paths as in `--set`, values as TOML literals. */
export type SettingsMap = Record<string, string>;

export interface RunRequest {
  system: string;
  set: SettingsMap;
  observables?: string[];
}

export interface SystemLine {
  name: string;
  title: string;
  about: string;
  authors: string[];
}

export interface About {
  version: string;
  simd: string;
  cores: number;
  runs: string | null;
  limits: { seconds: number; bytes: number };
  systems: SystemLine[];
}

export type ValueType =
  "integer" | "number" | "switch" | "text" | "texts" | "numbers" | "lists" | "table" | { choice: string[] } | { tensor: number };

export interface Range {
  least: number | null;
  most: number | null;
  above: boolean;
  below: boolean;
}

export interface Parameter {
  name: string;
  type: ValueType | ValueType[];
  range: Range | null;
  phrase: string;
  words: [string, string][];
  presence: "required" | "optional" | "default";
  literal: string | null;
  value: unknown;
  about: string;
  unit: string;
  when: { phrase: string; on: string; words: string[] | null } | null;
  slider: { least: number; most: number; scale: "linear" | "log" } | null;
}

export interface Kind {
  name: string;
  about: string;
  parameters: Parameter[];
}

export interface Section {
  name: string;
  about: string;
  parameters: Parameter[];
  kind: string | null;
  kinds: Kind[];
}

export type SectionName = "system" | "start" | "dynamics" | "record" | "experiment";

export interface Companion {
  id: string;
  label: string;
  about: string;
  set: SettingsMap;
  /** The learning rate that it begins with. */
  rate: number | null;
  fields: string[];
}

export interface Preset {
  name: string;
  /** The arm of the experiment, where it has several. */
  label: string | null;
  about: string;
  set: SettingsMap;
}

export interface Declaration {
  name: string;
  title: string;
  about: string;
  sections: Record<SectionName, Section>;
  view: { set: SettingsMap; with: string[] };
  presets: Preset[];
  companions: Companion[];
}

export interface Column {
  name: string;
  shape: number[];
  label: string | null;
}

export interface Panel {
  title: string | null;
  y: string[];
  x_scale: "log" | "linear";
  y_scale: "log" | "linear";
  theory: string[];
  x_range: [number, number] | null;
  y_range: [number, number] | null;
}

export interface World {
  kind: "world";
  parameters: number;
  blocks: { name: string; shape: number[] }[];
  observables: Column[];
  has_flow: boolean;
  draws_batches: boolean;
  levels: number[];
  /** Names of the reduced theories that apply. */
  theories: string[];
  figure: Panel[];
  toml: string;
  command: string;
}

interface Rows {
  rows: number;
  columns: Column[];
  done: number | null;
  time: number;
  loss: number;
  step: number;
}

export interface Part extends Rows {
  kind: "part";
}

export interface Plateau {
  height: number;
  height_error: number;
  from: number;
  to: number;
}

export interface Jump {
  time: number;
  exact: number | null;
  duration: number;
  change: number;
}

export interface Stages {
  plateaus: Plateau[];
  jumps: Jump[];
}

export interface Prediction {
  name: string;
  label: string;
  /** The observable that it speaks of, or `time`. */
  of: string;
  says: {
    kind: "levels" | "curve" | "instants" | "number" | "matrix";
    values: number[];
    /** Times of a curve. */
    time?: number[];
    /** Rows and columns of a matrix, and what it is. */
    shape?: [number, number];
    title?: string;
  };
}

export interface Ending {
  kind: string;
  ended: string;
  time: number;
  step: number;
  loss: number;
}

export interface Facts {
  label: string;
  hash: string;
  seconds: number;
  simd: string;
  failure: string | null;
  endings: Ending[];
  stages: Stages | null;
  no_stages: string | null;
  crossings: { level: number; time: number | null }[];
  predictions: Prediction[];
  outcomes: Record<string, unknown>;
  invariants: { name: string; start: number; end: number }[];
  labels: Record<string, string>;
  note: string | null;
}

export interface End extends Rows {
  kind: "end";
  facts: Facts;
}

export interface Failed {
  kind: "failed";
  error: string;
}

export type FrameHead = World | Part | End | Failed;

export interface Certificate {
  kind: string;
  doubt: string | null;
  loss: number;
  gradient: number;
  point: { loss: number; distance: number } | null;
  counts: { negative: number; zero: number; symmetry: number; positive: number } | null;
  curvature: { lowest: number; highest: number } | null;
  escape: {
    law: { kind: "exponential"; rate: number } | { kind: "algebraic"; order: number; coefficient: number };
  } | null;
  departure: { predicted: number | null; measured: number | null } | null;
  where: string;
  time: number | null;
  saddle: string | null;
  near: { saddle: string; distance: number } | null;
  rank?: number | null;
  label?: string | null;
}

export interface Saddles {
  known: Certificate[];
  visited: Certificate[];
  /** How many saddles theory knows; where these are too many, none is certified. */
  count?: number;
}
