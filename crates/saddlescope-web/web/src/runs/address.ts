// The list of runs as a link: what is filtered, sorted, chosen and drawn.
import type { Interval, Scale } from "../charts/trace";
import type { RunRequest } from "../data/contract";
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
  const query = new URLSearchParams();
  if (view.text) query.set("text", view.text);
  if (view.system) query.set("system", view.system);
  if (view.state) query.set("state", view.state);
  if (view.sort !== PLAIN.sort) query.set("sort", view.sort);
  if (view.members) query.set("members", "all");
  view.chosen.forEach((path) => query.append("run", path));
  if (view.column !== PLAIN.column) query.set("column", view.column);
  noteAxes(query, view.axes, AXES);
  const text = query.toString().replace(/%2F/g, "/").replace(/%7E/g, "~");
  return text ? `/runs?${text}` : "/runs";
}

/** How a chart is looked at, as a query says; `plain` where it says nothing. */
export function axesOf(query: URLSearchParams, plain: Axes): Axes {
  const [from = NaN, to = NaN] = (query.get("zoom") ?? "").split("~").map(Number);
  const zoom: Interval | null = to > from ? [from, to] : null;
  return { time: scaleOf(query.get("time"), plain.time), value: scaleOf(query.get("value"), plain.value), zoom };
}

export function noteAxes(query: URLSearchParams, { time, value, zoom }: Axes, plain: Axes): void {
  if (time !== plain.time) query.set("time", time);
  if (value !== plain.value) query.set("value", value);
  if (zoom) query.set("zoom", zoom.map((end) => Number(end.toPrecision(6))).join("~"));
}

/** A run's settings as a link to the Live view, with nothing beside it: what the view opens with need not go with them. */
export function liveLink(request: RunRequest): string {
  const entries = Object.entries(request.set);
  const query = new URLSearchParams(entries.length > 0 ? entries : [["seed", "0"]]);
  query.append("with", "");
  return `/live/${request.system}?${query}`;
}
