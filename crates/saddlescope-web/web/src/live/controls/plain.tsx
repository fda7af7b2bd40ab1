// Choices, switches, and everything else as it stands in a file.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { read, readText, writeText } from "../literals";
import type { ControlProps } from "./field";

export function ChoiceControl({ id, slot, literal, wrong, put }: ControlProps): JSX.Element {
  const { words, presence } = slot.parameter;
  const chosen = readText(literal) ?? "";
  const meaning = words.find(([word]) => word === chosen)?.[1];
  return (
    <>
      <select
        id={id}
        value={chosen}
        aria-invalid={wrong}
        aria-describedby={`${id}-hint`}
        title={meaning}
        onChange={(event) => put(event.currentTarget.value === "" ? null : writeText(event.currentTarget.value), "push", event)}
      >
        {presence !== "default" && <option value="">{presence === "optional" ? "none" : "choose"}</option>}
        {words.map(([word, says]) => (
          <option key={word} value={word} title={says}>
            {word}
          </option>
        ))}
      </select>
      {meaning && <p class="meaning">{meaning}</p>}
    </>
  );
}

export function SwitchControl({ id, literal, put }: ControlProps): JSX.Element {
  const on = literal !== null && read(literal) === true;
  return (
    <input
      id={id}
      type="checkbox"
      class="switch"
      role="switch"
      checked={on}
      aria-describedby={`${id}-hint`}
      onChange={(event) => put(String(event.currentTarget.checked), "push", event)}
    />
  );
}

/** A TOML literal as text; plain text may do without its quotes. */
export function LiteralControl({ id, slot, literal, wrong, put }: ControlProps): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  const text = slot.parameter.type === "text";
  const shown = literal === null ? "" : text ? (readText(literal) ?? literal) : literal;
  return (
    <input
      id={id}
      class="literal"
      type="text"
      autocomplete="off"
      spellcheck={false}
      value={typed ?? shown}
      placeholder={slot.parameter.presence === "optional" ? "none" : slot.parameter.phrase}
      aria-invalid={wrong}
      aria-describedby={`${id}-hint`}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => {
        const plain = event.currentTarget.value.trim();
        put(plain === "" ? null : text ? writeText(plain) : plain, "push", event);
        setTyped(null);
      }}
    />
  );
}
