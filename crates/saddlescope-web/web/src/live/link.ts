// A whole view as the query of a link, and back.
import type { SettingsMap } from "../data/contract";
import type { Interval, Scale } from "../charts/trace";

export interface CompanionOn {
  id: string;
  set: SettingsMap;
}

export interface PanelChoice {
  y: string[];
  scale: Scale;
}

/** All that a link of the Live view holds. Nothing stands for the view's own choice. */
export interface View {
  /** Nothing: what the page opens with. */
  set: SettingsMap | null;
  with: CompanionOn[] | null;
  pins: SettingsMap[];
  time: Scale | null;
  loss: Scale | null;
  at: number | null;
  zoom: Interval | null;
  panels: PanelChoice[] | null;
  maps: string[] | null;
  /** Whether colours of maps are those of the whole run, or of the moment. */
  ramp: "run" | "now";
  ladder: boolean;
  stages: boolean;
}

/** Keys of settings have a dot, but for the seed; all others are of the view. */
const isSetting = (key: string): boolean => key.includes(".") || key === "seed";

const escaped = (text: string): string => text.replace(/%/g, "%25").replace(/~/g, "%7E");
const plain = (text: string): string => text.replace(/%7E/g, "~").replace(/%25/g, "%");
const packed = (set: SettingsMap): string =>
  Object.entries(set)
    .map(([key, value]) => escaped(`${key}=${value}`))
    .join("~");

function unpacked(pieces: string[]): SettingsMap {
  const set: SettingsMap = {};
  for (const piece of pieces) {
    const [key, ...value] = plain(piece).split("=");
    if (key && isSetting(key)) set[key] = value.join("=");
  }
  return set;
}

export function queryOf(view: View): string {
  const query = new URLSearchParams();
  if (view.set) {
    // No setting at all is a choice, too; the seed's default says so.
    const entries = Object.entries(view.set);
    for (const [key, value] of entries.length > 0 ? entries : [["seed", "0"] as const]) query.append(key, value);
  }
  if (view.with) {
    if (view.with.length === 0) query.append("with", "");
    for (const { id, set } of view.with) query.append("with", [escaped(id), packed(set)].filter(Boolean).join("~"));
  }
  for (const pin of view.pins) query.append("pin", packed(pin));
  if (view.time) query.set("time", view.time);
  if (view.loss) query.set("loss", view.loss);
  if (view.at !== null) query.set("at", String(Number(view.at.toPrecision(9))));
  if (view.zoom) query.set("zoom", view.zoom.map((end) => Number(end.toPrecision(6))).join("~"));
  if (view.panels) {
    if (view.panels.length === 0) query.append("show", "");
    for (const { y, scale } of view.panels) query.append("show", [scale, ...y.map(escaped)].join("~"));
  }
  if (view.maps) query.set("map", view.maps.map(escaped).join("~"));
  if (view.ramp === "now") query.set("ramp", "now");
  if (view.ladder) query.set("ladder", "open");
  if (!view.stages) query.set("stages", "off");
  return query.toString().replace(/%7E/g, "~").replace(/%5B/g, "[").replace(/%5D/g, "]").replace(/%2C/g, ",");
}

export function viewOf(text: string): View {
  const query = new URLSearchParams(text);
  const set: SettingsMap = {};
  for (const [key, value] of query) if (isSetting(key)) set[key] = value;
  const scale = (key: string): Scale | null => {
    const value = query.get(key);
    return value === "log" || value === "linear" ? value : null;
  };
  const number = (value: string | null): number | null => {
    const read = value === null || value === "" ? NaN : Number(value);
    return Number.isFinite(read) ? read : null;
  };
  const [from, to] = (query.get("zoom") ?? "").split("~").map(number);
  return {
    set: Object.keys(set).length > 0 ? set : null,
    with: query.has("with") ? query.getAll("with").filter(Boolean).map(companionOf) : null,
    pins: query.getAll("pin").map((pin) => unpacked(pin.split("~"))),
    time: scale("time"),
    loss: scale("loss"),
    at: number(query.get("at")),
    zoom: typeof from === "number" && typeof to === "number" && to > from ? [from, to] : null,
    panels: query.has("show") ? query.getAll("show").filter(Boolean).map(panelOf) : null,
    maps: query.has("map") ? (query.get("map") ?? "").split("~").filter(Boolean).map(plain) : null,
    ramp: query.get("ramp") === "now" ? "now" : "run",
    ladder: query.get("ladder") === "open",
    stages: query.get("stages") !== "off",
  };
}

function companionOf(text: string): CompanionOn {
  const [id, ...pieces] = text.split("~");
  return { id: plain(id ?? ""), set: unpacked(pieces) };
}

function panelOf(text: string): PanelChoice {
  const [scale, ...y] = text.split("~");
  return { scale: scale === "log" ? "log" : "linear", y: y.map(plain) };
}

/** What a link without a query holds. */
export const PLAIN = viewOf("");
