// The left column: all that can be set, in groups, with a search over it.
import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { sameSlots, slotsOf, type Slot } from "../declared";
import type { LiveModel } from "../model";
import { Markup } from "../../ui/markup";
import { Menu } from "../../ui/menu";
import { Trouble } from "../../ui/trouble";
import { Control } from "./control";

const GROUPS: { title: string; section: Slot["section"] }[] = [
  { title: "Task & model", section: "system" },
  { title: "Start", section: "start" },
  { title: "Dynamics", section: "dynamics" },
  { title: "Seed", section: "experiment" },
];

/** What is seldom moved: tolerances, what is recorded, exceptions. */
function seldom({ section, parameter, key }: Slot, set: Record<string, string>): boolean {
  if (set[key] !== undefined) return false;
  if (section === "record") return true;
  if (section === "experiment") return parameter.name !== "seed";
  if (section === "dynamics") return !["kind", "rate", "steps", "until", "theory", "momentum", "schedule"].includes(parameter.name);
  if (parameter.name === "kind") return false;
  const { presence, slider, type } = parameter;
  const plain = typeof type === "string" && !["switch", "numbers", "number", "integer"].includes(type);
  return presence === "optional" || (plain && !slider);
}

/** A list of slots that stays the same object while it names the same parameters. */
function useSteady(list: () => Slot[]): ReadonlySignal<Slot[]> {
  const last = useRef<Slot[]>([]);
  return useComputed(() => {
    const next = list();
    if (!sameSlots(last.current, next)) last.current = next;
    return last.current;
  });
}

function matches({ key, parameter }: Slot, words: string[]): boolean {
  const text = `${key} ${parameter.about} ${parameter.words.map((pair) => pair.join(" ")).join(" ")}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

export function Controls({ model }: { model: LiveModel }): JSX.Element {
  const search = useSignal("");
  const slots = useSteady(() =>
    slotsOf(model.declaration, model.set.value).filter(({ parameter, section }) => section !== "experiment" || parameter.name === "seed"),
  );
  const usual = useSteady(() => slots.value.filter((slot) => !seldom(slot, model.view.value.set ?? {})));
  const asked = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found = asked.length > 0 ? slots.value.filter((slot) => matches(slot, asked)) : null;
  const trouble = model.main.trouble.value;
  const more = slots.value.filter((slot) => !usual.value.includes(slot));
  const hidden = trouble !== null && trouble.key !== null && more.some(({ key }) => key === trouble.key);
  return (
    <section class="controls" aria-label="Settings">
      <div class="controls-top">
        <input
          type="search"
          class="search"
          placeholder="Search settings"
          aria-label="Search settings"
          value={search}
          onInput={(event) => (search.value = event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && (search.value = "")}
        />
        <Presets model={model} />
      </div>
      {!slots.value.some(({ key }) => key === trouble?.key) && <Trouble words={trouble?.words} />}
      {found ? (
        <fieldset>
          <legend>{found.length === 0 ? "Nothing found" : "Found"}</legend>
          {found.map((slot) => (
            <Control key={slot.key} model={model} slot={slot} />
          ))}
        </fieldset>
      ) : (
        <>
          {GROUPS.map(({ title, section }) => {
            const members = usual.value.filter((slot) => slot.section === section);
            if (members.length === 0) return null;
            return (
              <fieldset key={section}>
                <legend>{title}</legend>
                {members.map((slot) => (
                  <Control key={slot.key} model={model} slot={slot} />
                ))}
              </fieldset>
            );
          })}
          <details class="more" open={hidden || undefined}>
            <summary>More ({more.length})</summary>
            {more.map((slot) => (
              <Control key={slot.key} model={model} slot={slot} />
            ))}
          </details>
        </>
      )}
    </section>
  );
}

/** Settings to start from: the first runs of the experiments that ship with the program. */
function Presets({ model }: { model: LiveModel }): JSX.Element {
  const { presets, view } = model.declaration;
  const starts = [{ name: "The opening view", label: null, about: "as this page begins", set: view.set }, ...presets];
  return (
    <Menu label="Start from…" title="Settings of the shipped experiments" wide>
      {(close) => (
        <>
          {starts.map(({ name, label, about, set }) => (
            <button
              key={`${name} ${label ?? ""}`}
              type="button"
              onClick={() => {
                model.startFrom(set);
                close();
              }}
            >
              <b>
                {name.replace(/^.*\//, "")}
                {label && (
                  <>
                    {" · "}
                    <Markup text={label} />
                  </>
                )}
              </b>
              <span class="meaning">
                <Markup text={about ?? ""} />
              </span>
            </button>
          ))}
        </>
      )}
    </Menu>
  );
}
