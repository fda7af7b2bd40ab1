// The figure that a run, plan or sweep has left, with its data.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { inAddress } from "./stored";

interface Props {
  path: string;
  /** Changes with the figure, so that browsers show the new one. */
  changed: number;
  about: string;
  data?: ComponentChildren;
}

export function StoredFigure({ path, changed, about, data }: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  const file = (ending: string): string => `/files/${inAddress(path)}/figure.${ending}`;
  return (
    <section class="stored-figure" aria-label="Figure">
      <div class="panel-head">
        <h2>Figure</h2>
        <div class="tools">
          {["svg", "png", "pdf"].map((ending) => <a key={ending} class="file" href={file(ending)} download={`${path.split("/").at(-1)}.${ending}`}>{ending.toUpperCase()}</a>)}
          {data && <button type="button" class="quiet small" aria-expanded={open} onClick={() => setOpen(!open)}>data of this figure</button>}
        </div>
      </div>
      <div class="picture"><img src={`${file("svg")}?${changed}`} alt={about} /></div>
      {open && data}
    </section>
  );
}
