// What the server says, as types. A test of saddlescope-web writes this file from the program's types.

/** Settings on top of a system's declared defaults: paths as in `--set`, values as TOML literals. */
export type SettingsMap = Record<string, string>;

/** The program. */
export interface About {
  version: string;
  simd: string;
  cores: number;
  /** The folder of runs, if there is one. */
  runs: string | null;
  limits: Limits;
  systems: SystemLine[];
}

/** What a request may take. */
export interface Limits {
  seconds: number;
  bytes: number;
}

/** A system in a few words. */
export interface SystemLine {
  name: string;
  title: string;
  about: string;
  authors: string[];
}

/** A system in full. */
export interface Declaration extends SystemLine {
  sections: Sections;
  view: Opening;
  presets: Preset[];
  companions: Companion[];
}

/** The sections of one system's files; `experiment` is what stands above them. */
export interface Sections {
  experiment: Section;
  system: Section;
  start: Section;
  dynamics: Section;
  record: Section;
}

/** A section of a file. */
export interface Section {
  name: string;
  about: string;
  parameters: Parameter[];
  /** The kind where a file names none. */
  kind: string | null;
  kinds: Kind[];
}

/** A setting. */
export interface Parameter {
  name: string;
  type: Types;
  phrase: string;
  range: Range | null;
  slider: Slider | null;
  words: [string, string][];
  presence: Presence;
  literal: string;
  value: unknown;
  about: string;
  unit: string;
  when: When | null;
}

/** What sorts of values a setting takes. */
export type Types =
  | ValueType
  | ValueType[];

/** A sort of values. */
export type ValueType =
  | Named
  | { choice: string[] }
  | { tensor: number };

/** A sort of values that has a name. */
export type Named =
  | "integer"
  | "number"
  | "switch"
  | "text"
  | "texts"
  | "numbers"
  | "lists"
  | "table";

/** The ends of the numbers that a setting takes. */
export interface Range {
  least: number | null;
  /** Whether the least is itself out of range. */
  above: boolean;
  most: number | null;
  /** Whether the most is itself out of range. */
  below: boolean;
}

/** The stretch that a slider covers. */
export interface Slider {
  least: number;
  most: number;
  scale: "linear" | "log";
}

/** Whether a setting must be given. */
export type Presence =
  | "required"
  | "optional"
  | "default";

/** When a setting counts. */
export interface When {
  phrase: string;
  /** The setting that it hangs on. */
  on: string;
  /** The words that this must be; any where there are none. */
  words: string[] | null;
}

/** A kind of a section, with the settings that only it has. */
export interface Kind {
  name: string;
  about: string;
  parameters: Parameter[];
}

/** How the view of a system opens. */
export interface Opening {
  set: SettingsMap;
  /** What runs beside the main run at first. */
  with: string[];
}

/** A shipped experiment to start from. */
export interface Preset {
  name: string;
  /** The arm of the experiment, where it has several. */
  label: string | null;
  about: string | null;
  set: SettingsMap;
}

/** What may run beside a run. */
export interface Companion {
  id: string;
  label: string;
  about: string;
  set: SettingsMap;
  /** The learning rate that it begins with. */
  rate: number | null;
  fields: string[];
}

/** A run as the page asks for it. */
export interface RunRequest {
  system: string;
  set: SettingsMap;
  observables?: string[];
}

/** What stands above the numbers of a frame. */
export type FrameHead =
  | ({ kind: "problem" } & Problem)
  | ({ kind: "part" } & Part)
  | ({ kind: "end" } & End)
  | ({ kind: "failed" } & Failed);

/** What there is to see. */
export interface Problem {
  parameters: number;
  blocks: BlockShape[];
  observables: Column[];
  /** What families of them mean: `head.*.value`. */
  meanings: Record<string, string>;
  has_flow: boolean;
  draws_batches: boolean;
  levels: number[];
  /** Names of the reduced theories that apply. */
  theories: string[];
  figure: Panel[];
  toml: string;
  command: string;
}

/** A block of parameters. */
export interface BlockShape {
  name: string;
  shape: number[];
}

/** Something that is or can be recorded. */
export interface Column {
  name: string;
  /** Its shape; empty for a single number. */
  shape: number[];
  /** How figures call it. */
  label: string | null;
}

/** A panel of lines over time. */
export interface Panel {
  title: string | null;
  y: string[];
  x_scale: "linear" | "log";
  y_scale: "linear" | "log";
  theory: string[];
  x_range: [number, number] | null;
  y_range: [number, number] | null;
  y_label: string | null;
}

/** What was recorded so far. */
export interface Part extends Rows {
  done: number | null;
  time: number;
  loss: number;
  step: number;
}

/** What the numbers of a frame are: time and step of each row, then each column. */
export interface Rows {
  rows: number;
  columns: Column[];
}

/** What the run came to. */
export interface End extends Rows {
  facts: MemberFacts;
  /** Where the run is kept, if it is. */
  stored?: Stored;
}

/** A run among those of its experiment, as programs read it. */
export interface MemberFacts extends RunFacts {
  label: string;
  /** The variant that it belongs to, where there are several. */
  variant: string | null;
  /** The settings that vary among them, with the values that they have here, as TOML. */
  varied: Record<string, string>;
  /** How figures call columns, patterns of columns and outcomes. */
  labels: Record<string, string>;
}

/** What became of a run, but for its rows and parameters. */
export interface RunFacts extends RunEnd {
  version: string;
  simd: string;
  seconds: number;
  system: string;
  name: string | null;
  seed: number;
  /** The hash of all that fixes its numbers. */
  hash: string;
  parameters: number;
  theory: Theory;
  stages: Stages | null;
  no_stages: string | null;
  outcomes: Record<string, number | string>;
  predictions: Prediction[];
}

/** What theory knows of a loss. */
export interface Theory {
  /** The losses of the plateaus that it predicts, highest first. */
  plateaus: number[];
}

/** What the dynamics of a run came to. */
export interface RunEnd {
  error: string | null;
  /** How the phases of the dynamics ended, in their order; none when the run failed. */
  phases: PhaseFacts[];
  /** The loss levels that were watched for; none when the run failed. */
  crossings: LevelCrossing[];
  /** Conserved quantities at both ends; none when the run failed. */
  invariants: Drift[];
  /** Settings that are read as others, and parameters that start so small that the flow's absolute tolerance does not see them, in words. */
  note: string | null;
}

/** How a phase of the dynamics ended, and where. */
export interface PhaseFacts {
  /** How it moved: `flow`, `adam`. */
  kind: string;
  ended: string;
  time: number;
  /** Whether times are flow times; otherwise one unit per step. */
  flow_time: boolean;
  /** Steps taken so far: of the solver, or of the rule. */
  step: number;
  loss: number;
  /** When an automatic flow went over to the stiff method, if it did. */
  stiff_from: number | null;
  /** Work of the solver; none for descents. */
  work: Work | null;
  /** The least value of what `stop_on` names; the parameters there are among the run's snapshots. */
  best: BestFacts | null;
}

/** The work that a flow has cost. */
export interface Work {
  steps: number;
  /** Steps that were tried and rejected. */
  rejected: number;
  /** Evaluations of the field, those inside exact Jacobian products apart. */
  gradients: number;
  jacobians: number;
  /** Factorisations of a Newton matrix. */
  factorisations: number;
}

/** The least value of an observable that a phase has read, and where it was. */
export interface BestFacts {
  column: string;
  value: number;
  time: number;
  step: number;
}

/** A loss level and when it was first crossed. */
export interface LevelCrossing {
  level: number;
  /** Time of the first crossing, if there was one. */
  time: number | null;
}

/** A conserved quantity at both ends of a run. */
export interface Drift {
  name: string;
  start: number;
  end: number;
}

/** The stages of a series: a transition between every two neighbouring plateaus. */
export interface Stages {
  plateaus: Plateau[];
  /** `transitions[m]` leads from `plateaus[m]` to `plateaus[m + 1]`. */
  transitions: Transition[];
  /** Whether the series begins on the first plateau, and not on the way to it. */
  begins_flat: boolean;
  /** Whether it ends on the last plateau. */
  ends_flat: boolean;
  /** Standard deviation of the noise of single rows, median over the series. */
  noise: number;
  /** What counted as a stage. */
  settings: Settings;
}

/** A stretch in which the value hardly moves. */
export interface Plateau {
  /** Median over log time. */
  height: number;
  /** Its standard error, which knows the noise and how far the plateau slopes. */
  height_error: number;
  from: number;
  to: number;
  rows: number;
}

/** The jump from one plateau to the next. */
export interface Transition {
  /** When the value is half way, by the recorded rows. */
  time: number;
  time_error: number;
  /** When it is half way, by the dynamics itself, where that noted it. */
  exact: number | null;
  /** Time from 1/10 to 9/10 of the way. */
  duration: number;
  duration_error: number;
  /** How far the value moves: below zero for a fall. */
  change: number;
  /** What else moved, as far as that is known. */
  moved: Movement[];
}

/** How far one of several alike moved across a jump. */
export interface Movement {
  /** What moved: an observable (`learned.1`) or, from snapshots, a block (`head.0.key`). */
  name: string;
  /** The name with its number open: `learned.*`. Shares are among those of one family. */
  family: string;
  /** How far: the change itself for a number, its norm for an array. */
  change: number;
  /** Its part of the family's movement. */
  share: number;
}

/** What counts as a stage. */
export interface Settings {
  /** Smallest jump, as a part of the whole range of the series. */
  least_drop: number;
  /** Shortest plateau, in durations of the jumps beside it (on log time, their geometric mean). At either end of the series a quarter is enough where the end is flat. */
  least_stay: number;
  /** Fewest rows of a plateau. */
  least_rows: number;
  /** Smallest jump, in standard errors of the difference of the two heights. */
  significance: number;
}

/** A named statement of theory about something that was recorded. */
export interface Prediction {
  /** How figures ask for it: `levels`. */
  name: string;
  /** How a legend calls it, in the markup of labels: `Eq. (5)`. */
  label: string;
  /** What it speaks of: an observable (`loss`, `head.0.value`), for a number a column of the table of runs (`crossing.1`), for instants also `time`, which is the run as a whole. */
  of: string;
  says: Says;
}

/** What a prediction says. */
export type Says =
  | { kind: "levels"; value: number[] }
  | { kind: "curve"; value: { time: number[]; value: number[] } }
  | { kind: "matrix"; value: { title: string; shape: [number, number]; values: number[]; rows: string[] } }
  | { kind: "number"; value: number }
  | { kind: "instants"; value: number[] };

/** Where a run is kept, and what of it is sent. */
export interface Stored {
  path: string;
  entry: Listed;
  version: string;
  legs: number;
  /** Rows that were recorded. */
  rows: number;
  /** Whether fewer rows are sent. */
  thinned: boolean;
  /** Columns that are not sent. */
  left_out: string[];
  /** The run as the live view takes it, where it can. */
  live: RunRequest | null;
  files: string[];
  about: string | null;
}

/** What the page lists. */
export interface Listed extends Entry {
  path: string;
  /** The plan or sweep that a run belongs to. */
  of: string | null;
}

/** One run, plan or sweep in a few words. */
export interface Entry {
  kind: EntryKind;
  name: string;
  system: string;
  seed: number | null;
  state: "finished" | "running" | "interrupted" | "failed" | "damaged";
  /** More about the state: why it failed, how much is done. */
  words: string | null;
  hash: string | null;
  seconds: number | null;
  /** When it last changed, in seconds since 1970. */
  changed: number;
  /** Members of a plan or sweep: those there should be. */
  members: number | null;
  /** Those that are over. */
  over: number | null;
  figure: boolean;
}

/** What a folder holds. */
export type EntryKind =
  | "run"
  | "plan"
  | "sweep";

/** Why there is no more to come. */
export interface Failed {
  error: string;
}

/** The ladder of a run. */
export interface Saddles {
  known: KnownFacts[];
  visited: CertifiedFacts[];
  /** How many saddles theory knows; where these are too many, none is certified. */
  count: number;
}

/** A saddle of theory. */
export interface KnownFacts extends CertifiedFacts {
  rank: number;
}

/** A certificate, and where it was asked for. */
export interface CertifiedFacts extends CertificateFacts {
  where: string;
  time: number | null;
  /** The saddle of theory that it is. */
  saddle: string | null;
  near: Near | null;
}

/** What a state is near. Lengths in `departure` and `escape` are those of the flow. */
export interface CertificateFacts {
  kind: string;
  doubt: string | null;
  loss: number;
  gradient: number;
  point: Point | null;
  counts: CountFacts | null;
  curvature: Curvature | null;
  escape: Escape | null;
  departure: Departure | null;
  runaway: Runaway | null;
}

/** A stationary point. */
export interface Point {
  state: number[];
  loss: number;
  /** Norm of the gradient that is left there. */
  residual: number;
  /** Distance from the state that was asked about, in parameters. */
  distance: number;
}

/** How many curvatures there are of each sign. */
export interface CountFacts extends Counts {
  /** Whether a gap separates the zeros from the others. */
  clear: boolean;
}

/** How many curvatures are negative, zero and positive at a point, in the time of the flow. */
export interface Counts {
  /** Negative ones: the index. */
  negative: number;
  /** Zero ones, those of symmetries among them. */
  zero: number;
  /** Zero ones that continuous symmetries explain. */
  symmetry: number;
  positive: number;
  /** Curvatures nearer to zero than this count as zero. */
  threshold: number;
  /** The largest, by size, that counts as zero. */
  largest_zero: number | null;
  /** The smallest, by size, that does not. */
  smallest_other: number | null;
}

/** The ends of a spectrum. */
export interface Curvature {
  lowest: number;
  highest: number;
}

/** The way out of a saddle. */
export interface Escape {
  /** Its law along the fastest direction. */
  law: Law;
  /** The fastest direction, a unit vector of parameters. */
  direction: number[];
}

/** How the distance from a saddle grows. */
export type Law =
  | ({ kind: "exponential" } & { rate: number })
  | ({ kind: "algebraic" } & { order: number; coefficient: number });

/** One escape, predicted and measured: how long the distance along the ways out takes to grow. */
export interface Departure {
  /** Distance at the start, in the lengths of the flow. */
  from: number;
  to: number;
  predicted: number;
  /** The time that the flow takes; missing where it does not leave. */
  measured: number | null;
}

/** What a plateau at infinity does, at the state that was asked about. */
export interface Runaway {
  /** Relative growth of each block, `d ln|theta|/dt`. */
  growth: Record<string, number>;
  /** `d ln|gradient|/dt`, the gradient in the lengths of the flow. */
  gradient: number;
  /** `dL/dt`. */
  loss: number;
  /** Ratio of successive Newton steps: 1 where the loss decays exponentially, above 1 for a power. */
  ratio: number;
  /** Where the point runs to, a unit vector of parameters. */
  direction: number[];
}

/** The saddle of theory that is nearest. */
export interface Near {
  saddle: string;
  distance: number;
}
