// What is listed: words, a system, a state.
import type { JSX } from "preact";
import type { Entry } from "../data/stored";
import type { ListView } from "./address";

const STATES = ["finished", "running", "interrupted", "failed", "damaged"];

interface Props {
  entries: Entry[];
  shown: number;
  view: ListView;
  onChange: (change: Partial<ListView>, how?: "push" | "replace") => void;
}

function Choice({ label, value, options, onChange }: { label: string; value: string; options: string[]; onChange: (value: string) => void }): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">every {label}</option>
      {options.map((option) => <option key={option} value={option}>{option}</option>)}
    </select>
  );
}

export function Filters({ entries, shown, view, onChange }: Props): JSX.Element {
  const systems = [...new Set(entries.map(({ system }) => system).filter(Boolean))].sort();
  const states = STATES.filter((state) => state === view.state || entries.some((entry) => entry.state === state));
  return (
    <div class="filters" role="search">
      <input class="search" type="search" placeholder="Filter by words  ( / )" aria-label="Filter by words" value={view.text} onInput={(event) => onChange({ text: event.currentTarget.value }, "replace")} onChange={(event) => onChange({ text: event.currentTarget.value })} />
      <Choice label="system" value={view.system} options={systems} onChange={(system) => onChange({ system })} />
      <Choice label="state" value={view.state} options={states} onChange={(state) => onChange({ state })} />
      <label class="check"><input type="checkbox" checked={view.members} onChange={() => onChange({ members: !view.members })} /> runs of plans</label>
      <span class="faint" role="status">{shown} of {entries.length}</span>
      {view.chosen.length > 0 && <button type="button" class="quiet small" onClick={() => onChange({ chosen: [] })}>choose none</button>}
    </div>
  );
}
