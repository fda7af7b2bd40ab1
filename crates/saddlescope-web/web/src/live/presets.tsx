// Settings to start from: the first runs of the experiments that ship with the program.
import type { JSX } from "preact";
import { Markup } from "../ui/markup";
import { Menu } from "../ui/menu";
import type { LiveModel } from "./model";

export function Presets({ model }: { model: LiveModel }): JSX.Element {
  const { presets, view } = model.declaration;
  return (
    <Menu label="Start from…" title="Settings of the shipped experiments" wide>
      {(close) => (
        <>
          <button
            type="button"
            onClick={() => {
              model.startFrom(view.set);
              close();
            }}
          >
            <b>The opening view</b>
            <span class="meaning">as this page begins</span>
          </button>
          {presets.map(({ name, label, about, set }) => (
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
