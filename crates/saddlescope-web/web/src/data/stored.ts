// What the server says of stored runs and of papers, as types.
import type { End, Listed, RunRequest, Stored } from "./contract";

/** A run, a plan or a sweep of the folder in a few words. */
export type Entry = Listed;

export interface Tree {
  runs: Entry[];
  cut: string | null;
}

export type Cell = number | string | null;

export interface DataColumn {
  name: string;
  type: "integer" | "number" | "text";
  values: Cell[];
}

export interface StoredEnd extends End {
  kind: "end";
  stored: Stored;
}

/** A number with its interval over seeds. */
export interface Estimate {
  value: number;
  interval: [number, number] | null;
}

/** A law fitted to a table. */
export interface Fit {
  x: string;
  y: string;
  group: Record<string, string>;
  fit: { form: string; slope: Estimate; points: number; seeds: number } | null;
  error: string | null;
  theory: { slope: number; source: string; holds: boolean } | null;
  verdict: string | null;
}

export interface PlanTold {
  kind: "plan";
  path: string;
  entry: Entry;
  about: string | null;
  claims: string[];
  members: { label: string; arm: string | null; seed: number; run: Entry | null }[];
  table: { columns: DataColumn[] };
  fits: Fit[] | null;
  live: RunRequest | null;
}

export interface SweepTold {
  kind: "sweep";
  path: string;
  entry: Entry;
  toml: string | null;
  table: { total: number; matching: number; from: number; columns: DataColumn[] };
  fits: Fit[] | null;
}

export interface PaperLine {
  name: string;
  title: string;
  about: string;
  authors: string[];
  verdicts: { words: string; count: number }[];
  claims: number;
  experiments: number;
}

export interface Claim {
  id: string;
  name: string;
  place: string;
  kind: string;
  statement: string;
  assumes: string[];
  recorded: string;
  correction: string | null;
}

export interface Experiment {
  name: string;
  title: string | null;
  about: string | null;
  claims: string[];
  headline: boolean;
  system: string;
  members: number;
  live: RunRequest | null;
  picture: { from: "runs" | "book"; address: string; run: string | null } | null;
}

export interface Paper extends Omit<PaperLine, "claims" | "experiments"> {
  claims: Claim[];
  experiments: Experiment[];
}

export interface Measurement {
  what: string;
  relation: "equal" | "at least" | "at most";
  predicted: number;
  measured: number;
  scale: "absolute" | "relative";
  error: number;
  tolerance: number;
  looser: number | null;
  standard_error: number | null;
}

/** A claim with what a check found now. */
export interface Checked {
  id: string;
  verdict: string;
  recorded: string;
  seconds: number;
  error?: string;
  assumptions?: { what: string; met: boolean }[];
  printed?: Measurement[];
  corrected?: Measurement[];
  notes?: string[];
  untested?: string | null;
}

export type Anew =
  | { kind: "progress"; done: number | null; over: number; total: number }
  | { kind: "end"; svg?: string; table?: { columns: DataColumn[] }; failures?: { run: string; error: string }[]; claim?: Checked }
  | { kind: "failed"; error: string };
