// Settings to start from: the first runs of the experiments that ship with the program.
import type { JSX } from "preact";
import { Markup } from "../ui/markup";
import { Menu } from "../ui/menu";
import type { LiveModel } from "./model";

export function Presets({ model }: { model: LiveModel }): JSX.Element {
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
