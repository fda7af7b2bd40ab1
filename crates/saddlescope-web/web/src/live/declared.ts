// What can be set, given what is set: parameters of the declaration that count at the moment.
import type { Declaration, Parameter, Section, Sections, SettingsMap } from "../data/contract";
import { readText, same, writeText } from "./literals";

export type SectionName = keyof Sections;

/** A parameter at its place: `system.rank`, `start.kind`, `seed`. */
export interface Slot {
  key: string;
  section: SectionName;
  parameter: Parameter;
}

const SECTIONS: SectionName[] = ["system", "start", "dynamics", "record", "experiment"];

/** The keys of an experiment's top stand without a section. */
function keyOf(section: SectionName, name: string): string {
  return section === "experiment" ? name : `${section}.${name}`;
}

const kinds = new WeakMap<Section, Parameter>();

/** The choice of a section's kind, as a parameter like any other; the same one every time. */
function kindOf(section: Section): Parameter {
  const known = kinds.get(section);
  if (known) return known;
  const kind: Parameter = {
    name: "kind",
    type: { choice: section.kinds.map(({ name }) => name) },
    range: null,
    phrase: "a word",
    words: section.kinds.map(({ name, about }) => [name, about]),
    presence: section.kind === null ? "optional" : "default",
    literal: section.kind === null ? "" : writeText(section.kind),
    value: section.kind,
    about: section.about,
    unit: "",
    when: null,
    slider: null,
  };
  kinds.set(section, kind);
  return kind;
}

/** Whether two lists name the same parameters. */
export function sameSlots(a: Slot[], b: Slot[]): boolean {
  return a.length === b.length && a.every((slot, i) => slot.key === b[i]?.key && slot.parameter === b[i]?.parameter);
}

/** All parameters that count with these settings, in the order of the declaration. */
export function slotsOf(declaration: Declaration, set: SettingsMap): Slot[] {
  return SECTIONS.flatMap((name) => {
    const section = declaration.sections[name];
    return section ? slotsOfSection(name, section, set) : [];
  });
}

function slotsOfSection(name: SectionName, section: Section, set: SettingsMap): Slot[] {
  const all: Parameter[] = [...section.parameters];
  if (section.kinds.length > 0) {
    const chosen = readText(set[`${name}.kind`]) ?? section.kind;
    const kind = section.kinds.find((one) => one.name === chosen);
    all.unshift(kindOf(section), ...(kind?.parameters ?? []));
  }
  const counting = new Map<string, boolean>();
  const counts = (parameter: Parameter): boolean => {
    const known = counting.get(parameter.name);
    if (known !== undefined) return known;
    counting.set(parameter.name, true);
    const result = met(parameter);
    counting.set(parameter.name, result);
    return result;
  };
  const met = ({ when }: Parameter): boolean => {
    if (!when) return true;
    const other = all.find((one) => one.name === when.on);
    if (!other || !counts(other)) return false;
    const literal = set[keyOf(name, when.on)] ?? fallback(other);
    if (when.words === null) return set[keyOf(name, when.on)] !== undefined;
    return when.words.includes(readText(literal) ?? "");
  };
  return all.filter(counts).map((parameter) => ({ key: keyOf(name, parameter.name), section: name, parameter }));
}

/** What holds for a parameter that is not set: its default; for one that must be given, the declaration's example. */
export function fallback(parameter: Parameter): string | null {
  return parameter.presence === "optional" ? null : parameter.literal;
}

/** The settings that count, without those that say what holds anyway, and with those that must be given. */
export function effective(declaration: Declaration, set: SettingsMap): SettingsMap {
  const counting: SettingsMap = {};
  for (const { key, parameter } of slotsOf(declaration, set)) {
    const literal = set[key] ?? (parameter.presence === "required" ? parameter.literal : null);
    if (literal === null) continue;
    if (parameter.presence === "default" && parameter.literal !== null && same(literal, parameter.literal)) continue;
    counting[key] = literal;
  }
  // Keys of no parameter that we know: the server says what is wrong with them.
  for (const [key, literal] of Object.entries(set)) {
    if (!known(declaration, key)) counting[key] = literal;
  }
  return counting;
}

function known(declaration: Declaration, key: string): boolean {
  return SECTIONS.some((name) => {
    const section = declaration.sections[name];
    if (!section) return false;
    const names = [...section.parameters, ...section.kinds.flatMap(({ parameters }) => parameters)].map((p) => p.name);
    return [...names, "kind"].some((one) => keyOf(name, one) === key);
  });
}

/** The last part of a path, but for kinds, whose section says what they are of. */
export function shortKey(key: string): string {
  const parts = key.split(".");
  const last = parts[parts.length - 1] ?? key;
  return last === "kind" ? (parts[0] ?? key) : last;
}

export function sameSettings(a: SettingsMap, b: SettingsMap): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
