// One of some words, or any.
import type { JSX } from "preact";

export function Choice({ label, value, options, onChange }: { label: string; value: string; options: string[]; onChange: (value: string) => void }): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">every {label.toLowerCase()}</option>
      {options.map((option) => <option key={option} value={option}>{option}</option>)}
    </select>
  );
}
