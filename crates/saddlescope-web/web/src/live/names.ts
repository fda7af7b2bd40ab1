// Names of pinned runs: what tells them from each other and from the present run.
import type { Declaration, SettingsMap } from "../data/contract";
import { fallback, shortKey, slotsOf } from "./declared";
import { readText } from "./literals";

/** Settings that a name says, at most. */
const MOST = 3;

/** A name for each pinned run, no two of them the same. */
export function pinNames(declaration: Declaration, present: SettingsMap, pins: SettingsMap[]): string[] {
  const among = differing(pins);
  const names = pins.map((pin) => {
    const keys = [...new Set([...among, ...differing([present, pin])])];
    return inWords(declaration, pin, keys) || inWords(declaration, pin, Object.keys(pin)) || "as opened";
  });
  return numbered(names);
}

/** The keys that these settings do not agree on. */
export function differing(sets: SettingsMap[]): string[] {
  const keys = [...new Set(sets.flatMap((set) => Object.keys(set)))];
  return keys.filter((key) => sets.some((set) => set[key] !== sets[0]?.[key]));
}

function inWords(declaration: Declaration, set: SettingsMap, keys: string[]): string {
  const slots = slotsOf(declaration, set);
  const said = keys.flatMap((key) => {
    const slot = slots.find((one) => one.key === key);
    const literal = set[key] ?? (slot ? fallback(slot.parameter) : null);
    return literal === null ? [] : [`${shortKey(key)} ${readText(literal) ?? literal}`];
  });
  return said.length > MOST ? `${said.slice(0, MOST).join(", ")}, …` : said.join(", ");
}

/** Where a name comes again, it gets a number. */
function numbered(names: string[]): string[] {
  return names.map((name, i) => {
    const before = names.slice(0, i).filter((other) => other === name).length;
    return before === 0 ? name : `${name} (${before + 1})`;
  });
}
