// The folder's runs, plans and sweeps: filtered by words, system and state, sorted, chosen.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { seconds } from "../data/format";
import type { Entry } from "../data/stored";
import { Choice } from "../ui/choice";
import { SortedHead, sortedBy } from "../ui/data-table";
import type { ListView } from "./address";
import { ago, StateMark } from "./state";
import { inAddress } from "./stored";

/** Rows that are drawn at once; more on demand. */
const ROWS = 200;
/** Runs that are compared at once, at most. */
export const MOST_CHOSEN = 12;

const STATES = ["finished", "running", "interrupted", "failed", "damaged"];

interface Props {
  entries: Entry[];
  view: ListView;
  onChange: (change: Partial<ListView>, how?: "push" | "replace") => void;
}

/** What is listed, in order. */
export function listed(entries: Entry[], view: ListView): Entry[] {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry: Entry): boolean => {
    if (!view.members && entry.of !== null) return false;
    if (view.system && entry.system !== view.system) return false;
    if (view.state && entry.state !== view.state) return false;
    const text = `${entry.path} ${entry.name} ${entry.system} ${entry.hash ?? ""} ${entry.words ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const [name, down] = sortedBy(view.sort);
  const value = (entry: Entry): string | number => (name === "changed" ? entry.changed : name === "seconds" ? entry.seconds ?? -1 : name === "system" ? entry.system : name === "state" ? entry.state : entry.path);
  const compare = (a: Entry, b: Entry): number => {
    const [left, right] = [value(a), value(b)];
    const by = typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right));
    return (down ? -by : by) || a.path.localeCompare(b.path);
  };
  return entries.filter(fits).sort(compare);
}

/** The runs that choosing an entry chooses: of a plan, its own. */
export function runsOf(entry: Entry, entries: Entry[]): string[] {
  if (entry.kind === "run") return [entry.path];
  return entries.filter(({ of }) => of === entry.path).map(({ path }) => path).slice(0, MOST_CHOSEN);
}

export function RunList({ entries, view, onChange }: Props): JSX.Element {
  const [most, setMost] = useState(ROWS);
  const rows = listed(entries, view);
  const sorting = { sort: view.sort, onSort: (sort: string) => onChange({ sort }) };
  const toggle = (entry: Entry): void => {
    const own = runsOf(entry, entries);
    const all = own.every((path) => view.chosen.includes(path));
    const rest = view.chosen.filter((path) => !own.includes(path));
    onChange({ chosen: all ? rest : [...rest, ...own].slice(0, MOST_CHOSEN) });
  };
  // Arrow keys go from row to row; the space bar chooses, Enter opens.
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const row = (event.target as Element).closest("tr");
    if (step === 0 || !row) return;
    event.preventDefault();
    const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    const kind = (event.target as Element).tagName === "INPUT" ? "input" : "a";
    next?.querySelector<HTMLElement>(kind)?.focus();
  };
  return (
    <div class="run-list">
      <table class="table">
        <caption class="unseen">Stored runs, plans and sweeps</caption>
        <thead>
          <tr>
            <th scope="col"><span class="unseen">compare</span></th>
            <SortedHead {...sorting} name="path">name</SortedHead>
            <SortedHead {...sorting} name="system">system</SortedHead>
            <SortedHead {...sorting} name="state">state</SortedHead>
            <th scope="col" class="number">runs</th>
            <SortedHead {...sorting} name="seconds" number>took</SortedHead>
            <SortedHead {...sorting} name="changed" number>changed</SortedHead>
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {rows.slice(0, most).map((entry) => {
            const own = runsOf(entry, entries);
            const on = own.length > 0 && own.every((path) => view.chosen.includes(path));
            const [label, ...above] = entry.path.split("/").reverse();
            return (
              <tr key={entry.path} class={on ? "on" : ""}>
                <td>{own.length > 0 && <input type="checkbox" checked={on} aria-label={`Compare ${entry.path}`} onChange={() => toggle(entry)} />}</td>
                <td class="run-name">
                  <a href={`/runs/${inAddress(entry.path)}`}>{label}</a>{" "}
                  <span class="faint">{above.filter((part) => part !== "runs").reverse().join("/")}</span>
                  {entry.seed !== null && entry.seed !== 0 && !entry.path.includes("seed") && <span class="faint"> seed {entry.seed}</span>}
                </td>
                <td>{entry.system}</td>
                <td><StateMark entry={entry} /></td>
                <td class="number">{entry.kind === "run" ? "" : `${entry.members ?? ""}`}{entry.kind === "sweep" && <span class="faint"> sweep</span>}</td>
                <td class="number">{entry.seconds === null ? "" : seconds(entry.seconds)}</td>
                <td class="number" title={new Date(entry.changed * 1000).toLocaleString()}>{ago(entry.changed)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > most && <button type="button" class="quiet" onClick={() => setMost(most + 5 * ROWS)}>{rows.length - most} more</button>}
      {rows.length === 0 && entries.length > 0 && <p class="faint air">Nothing fits the filter.</p>}
    </div>
  );
}

export function Filters({ entries, view, onChange }: Props): JSX.Element {
  const systems = [...new Set(entries.map(({ system }) => system).filter(Boolean))].sort();
  const states = STATES.filter((state) => state === view.state || entries.some((entry) => entry.state === state));
  return (
    <div class="filters" role="search">
      <input class="search" type="search" placeholder="Filter by words  ( / )" aria-label="Filter by words" value={view.text} onInput={(event) => onChange({ text: event.currentTarget.value }, "replace")} onChange={(event) => onChange({ text: event.currentTarget.value })} />
      <Choice label="system" value={view.system} options={systems} onChange={(system) => onChange({ system })} />
      <Choice label="state" value={view.state} options={states} onChange={(state) => onChange({ state })} />
      <label class="check"><input type="checkbox" checked={view.members} onChange={() => onChange({ members: !view.members })} /> runs of plans</label>
      <span class="faint" role="status">{listed(entries, view).length} of {entries.length}</span>
      {view.chosen.length > 0 && <button type="button" class="quiet small" onClick={() => onChange({ chosen: [] })}>choose none</button>}
    </div>
  );
}
