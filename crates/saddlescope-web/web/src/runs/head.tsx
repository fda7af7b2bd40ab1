// A stored run, plan or sweep: where it lies, how it is, where to go from it; and the figure that it has left, with its data.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunRequest } from "../data/contract";
import { seconds } from "../data/format";
import type { Entry } from "../data/stored";
import { liveLink } from "./address";
import { ago, StateMark } from "./state";
import { inAddress } from "./stored";

interface Props {
  entry: Entry;
  about: string | null;
  live: RunRequest | null;
  files: string[];
  children?: ComponentChildren;
}

export function StoredHead({ entry, about, live, files, children }: Props): JSX.Element {
  const parts = entry.path.split("/");
  // A run of a plan or sweep lies in its folder `runs`.
  const inside = parts.at(-2) === "runs" ? parts.length - 3 : -1;
  const above = parts.slice(0, inside < 0 ? -1 : -2);
  return (
    <header class="stored-head">
      <p class="crumbs">
        <a href="/runs">Runs</a>
        {above.map((part, i) => <span key={i}> / {i === inside ? <a href={`/runs/${inAddress(above.join("/"))}`}>{part}</a> : part}</span>)}
      </p>
      <div class="stored-title">
        <h1>{parts.at(-1)}</h1>
        <StateMark entry={entry} />
        <span class="faint">{entry.kind} of {entry.system}{entry.kind !== "run" && entry.members !== null ? `, ${entry.members} runs` : ""}</span>
        {entry.seconds !== null && <span class="faint">{seconds(entry.seconds)}</span>}
        <span class="faint">{ago(entry.changed)}</span>
        {entry.hash && <span class="faint" title={entry.hash}>{entry.hash.slice(0, 12)}</span>}
        <span class="stored-links">
          {live && <a class="action" href={liveLink(live)}>Open in Live</a>}
          {children}
          {files.map((name) => <a key={name} class="file" href={`/files/${inAddress(`${entry.path}/${name}`)}`} download={name.split("/").at(-1)}>{name}</a>)}
        </span>
      </div>
      {about && <p class="meaning">{about}</p>}
      {entry.words && entry.state !== "finished" && <p class={entry.state === "failed" || entry.state === "damaged" ? "trouble" : "meaning"}>{entry.words}</p>}
    </header>
  );
}

interface FigureProps {
  path: string;
  /** Changes with the figure, so that browsers show the new one. */
  changed: number;
  about: string;
  data?: ComponentChildren;
}

export function StoredFigure({ path, changed, about, data }: FigureProps): JSX.Element {
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
