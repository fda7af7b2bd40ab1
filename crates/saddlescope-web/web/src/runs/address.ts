// The list of runs as a link: what is filtered, sorted, chosen and drawn.
import type { Interval, Scale } from "../charts/trace";
import type { RunRequest } from "../data/contract";
import { addressOf } from "../shell/route";
import type { Axes } from "./chart";

export interface ListView {
  text: string;
  system: string;
  state: string;
  /** A column; with `-` before it, the greatest first. */
  sort: string;
  /** Whether runs of plans and sweeps are listed, too. */
  members: boolean;
  chosen: string[];
  /** What is drawn of the chosen runs. */
  column: string;
  axes: Axes;
}

const AXES: Axes = { time: "log", value: "linear", zoom: null };

export const PLAIN: ListView = { text: "", system: "", state: "", sort: "-changed", members: false, chosen: [], column: "loss", axes: AXES };

const scaleOf = (text: string | null, plain: Scale): Scale => (text === "log" || text === "linear" ? text : plain);

export function listOf(text: string): ListView {
  const query = new URLSearchParams(text);
  return {
    text: query.get("text") ?? "",
    system: query.get("system") ?? "",
    state: query.get("state") ?? "",
    sort: query.get("sort") ?? PLAIN.sort,
    members: query.get("members") === "all",
    chosen: query.getAll("run"),
    column: query.get("column") ?? PLAIN.column,
    axes: axesOf(query, AXES),
  };
}

export function linkOf(view: ListView): string {
  const { text, system, state, sort, members, chosen, column, axes } = view;
  return addressOf("/runs", [
    ["text", text],
    ["system", system],
    ["state", state],
    ["sort", sort === PLAIN.sort ? "" : sort],
    ["members", members ? "all" : ""],
    ...chosen.map((path): [string, string] => ["run", path]),
    ["column", column === PLAIN.column ? "" : column],
    ...pairsOf(axes, AXES),
  ]);
}

/** How a chart is looked at, as a query says; `plain` where it says nothing. */
export function axesOf(query: URLSearchParams, plain: Axes): Axes {
  const [from = NaN, to = NaN] = (query.get("zoom") ?? "").split("~").map(Number);
  const zoom: Interval | null = to > from ? [from, to] : null;
  return { time: scaleOf(query.get("time"), plain.time), value: scaleOf(query.get("value"), plain.value), zoom };
}

export function pairsOf({ time, value, zoom }: Axes, plain: Axes): [string, string][] {
  return [
    ["time", time === plain.time ? "" : time],
    ["value", value === plain.value ? "" : value],
    ["zoom", zoom ? zoom.map((end) => Number(end.toPrecision(6))).join("~") : ""],
  ];
}

/** A run's settings as a link to the Live view, with nothing beside it: what the view opens with need not go with them. */
export function liveLink(request: RunRequest): string {
  const entries = Object.entries(request.set);
  const query = new URLSearchParams(entries.length > 0 ? entries : [["seed", "0"]]);
  query.append("with", "");
  return `/live/${request.system}?${query}`;
}
