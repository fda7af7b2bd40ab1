// The figures of a paper as we have reproduced them; what has no picture yet is made here.
import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Experiment } from "../data/stored";
import { liveLink } from "../runs/address";
import { inAddress } from "../runs/stored";
import { DataTable, SaveCsv } from "../ui/data-table";
import { Trouble } from "../ui/trouble";
import { Making, Progress } from "./anew";

/** The name without its paper. */
export const shortName = ({ name }: Experiment): string => name.split("/").slice(1).join("/");

export function Figures({ experiments, open, onOpen }: { experiments: Experiment[]; open: string | null; onOpen: (name: string | null) => void }): JSX.Element {
  const made = useRef(new Map<string, Making>());
  useEffect(() => () => made.current.forEach((making) => making.stop()), []);
  const makingOf = (name: string): Making => {
    const known = made.current.get(name) ?? new Making("/api/reproduce", { name });
    made.current.set(name, known);
    return known;
  };
  const opened = experiments.find((one) => shortName(one) === open);
  return (
    <section class="figures" aria-labelledby="figures">
      <div class="section-head"><h2 id="figures">Figures</h2><span class="faint">reproduced here; click to enlarge</span></div>
      <ul class="figure-grid">
        {experiments.map((one) => <li key={one.name} id={`figure-${shortName(one)}`}><Card one={one} making={makingOf(one.name)} onOpen={() => onOpen(shortName(one))} /></li>)}
      </ul>
      {opened && <Large one={opened} making={makingOf(opened.name)} onClose={() => onOpen(null)} />}
    </section>
  );
}

/** The picture that was made here, else the one that is there. */
function usePicture(one: Experiment, making: Making): string | null {
  const svg = useComputed(() => making.end.value?.svg ?? null).value;
  const url = useMemo(() => (svg ? URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) : null), [svg]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  return url ?? one.picture?.address ?? null;
}

/** Where to go from a figure; what has no picture yet offers to be made in its place. */
function Actions({ one, making, pictured }: { one: Experiment; making: Making; pictured: boolean }): JSX.Element {
  const busy = making.done.value !== null;
  return (
    <span class="figure-actions">
      {one.live && <a href={liveLink(one.live)}>Open in Live</a>}
      {one.picture?.run && <a href={`/runs/${inAddress(one.picture.run)}`}>Stored run</a>}
      {pictured && !busy && <button type="button" class="link" onClick={() => making.start()}>{making.end.value ? "Run it again" : "Run it here"}</button>}
      {pictured && <Progress making={making} what={`reproducing ${one.name}`} />}
    </span>
  );
}

function Card({ one, making, onOpen }: { one: Experiment; making: Making; onOpen: () => void }): JSX.Element {
  const picture = usePicture(one, making);
  return (
    <figure class="figure-card">
      {picture ? (
        <button type="button" class="picture" aria-label={`Enlarge ${shortName(one)}`} onClick={onOpen}><img src={picture} alt={one.about ?? one.name} loading="lazy" /></button>
      ) : (
        <div class="picture none"><span class="faint">no picture yet</span>{making.done.value === null && <button type="button" onClick={() => making.start()}>Run it here</button>}<Progress making={making} what={`reproducing ${one.name}`} /></div>
      )}
      <figcaption>
        <b>{shortName(one)}</b> <span class="meaning">{one.about}</span>
        <Actions one={one} making={making} pictured={picture !== null} />
        {making.trouble.value && <span class="trouble" role="alert">{making.trouble.value}</span>}
      </figcaption>
    </figure>
  );
}

function Large({ one, making, onClose }: { one: Experiment; making: Making; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [sort, setSort] = useState("");
  const picture = usePicture(one, making);
  const table = making.end.value?.table ?? null;
  useEffect(() => {
    const shown = dialog.current;
    if (shown && !shown.open) shown.showModal();
  }, []);
  return (
    <dialog class="large" ref={dialog} onClose={onClose} onClick={(event) => event.target === dialog.current && dialog.current?.close()} aria-label={one.name}>
      <div class="large-head">
        <h2>{one.name}</h2>
        <Actions one={one} making={making} pictured />
        {making.end.value?.svg && <a class="file" href={picture ?? ""} download={`${one.name.replace("/", "-")}.svg`}>SVG</a>}
        {!making.end.value && one.picture && <a class="file" href={one.picture.address} download={`${one.name.replace("/", "-")}.svg`}>SVG</a>}
        <button type="button" class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>✕</button>
      </div>
      <p class="meaning">{one.about}</p>
      {one.claims.length > 0 && <p class="meaning">Claims: {one.claims.map((id) => <span key={id}><a href={`/papers/${id.replace("/", "#")}`} onClick={() => dialog.current?.close()}>{id.split("/")[1]}</a> </span>)}</p>}
      <Trouble words={making.trouble.value} />
      {picture && <div class="picture"><img src={picture} alt={one.about ?? one.name} /></div>}
      {table && (
        <details class="data">
          <summary>Data of this figure <SaveCsv columns={table.columns} name={one.name.replace("/", "-")} /></summary>
          <DataTable caption="Table of runs" columns={table.columns} sort={sort} onSort={setSort} />
        </details>
      )}
      <p class="meaning"><code>saddlescope reproduce {one.name}</code></p>
    </dialog>
  );
}
