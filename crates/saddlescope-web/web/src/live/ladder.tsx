// The saddle ladder: known saddles as rungs, those that the run came by marked, with their certificates.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CertifiedFacts, Saddles } from "../data/contract";
import { isAbort, postJson, words } from "../data/fetch";
import { short } from "../data/format";
import { Markup } from "../ui/markup";
import { Trouble } from "../ui/trouble";
import type { LiveModel } from "./model";
import { rungsOf, type Rung } from "./rungs";

/** The ladder is asked for when the hand rests. */
const REST = 500;

const answer = signal<{ of: string; system: string; saddles: Saddles | null; trouble: string | null } | null>(null);
const busy = signal(false);

export function Ladder({ model }: { model: LiveModel }): JSX.Element {
  const open = model.view.value.ladder;
  const body = JSON.stringify({ system: model.declaration.name, set: model.counting.value });
  useEffect(() => {
    if (!open || answer.value?.of === body) return;
    const abort = new AbortController();
    const timer = setTimeout(() => void ask(body, model.declaration.name, abort.signal), answer.value ? REST : 0);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [open, body]);
  const shown = answer.value?.system === model.declaration.name ? answer.value : null;
  const old = shown !== null && shown.of !== body;
  return (
    <details
      class="panel ladder"
      open={open}
      onToggle={(event) => event.currentTarget.open !== open && model.change({ ladder: event.currentTarget.open })}
    >
      <summary class="panel-head">
        <h2>Saddle ladder</h2>
        <span class="reading">
          {open && (busy.value ? "certifying…" : shown?.saddles ? `${shown.saddles.visited.length} certificates` : "")}
        </span>
      </summary>
      {open && <Trouble words={shown?.trouble} />}
      {open && shown?.saddles && (
        <ol class={`rungs ${old || busy.value ? "dimmed" : ""}`}>
          {shown.saddles.known.length === 0 && (shown.saddles.count ?? 0) > 0 && (
            <li class="faint">Theory knows {shown.saddles.count} saddles, too many to list.</li>
          )}
          {rungsOf(shown.saddles).map((rung) => (
            <RungLine key={rung.key} rung={rung} model={model} />
          ))}
        </ol>
      )}
    </details>
  );
}

async function ask(of: string, system: string, abort: AbortSignal): Promise<void> {
  busy.value = true;
  try {
    const saddles = await postJson<Saddles>("/api/saddles", JSON.parse(of), abort);
    answer.value = { of, system, saddles, trouble: null };
  } catch (error) {
    if (!isAbort(error)) answer.value = { of, system, saddles: null, trouble: words(error) };
  } finally {
    busy.value = false;
  }
}

function RungLine({ rung, model }: { rung: Rung; model: LiveModel }): JSX.Element {
  const { known, visits } = rung;
  const told = known ?? visits[0];
  if (!told) return <li />;
  return (
    <li class={`rung ${visits.length > 0 ? "visited" : ""}`}>
      <span class="rung-loss" title="loss at the saddle">
        {short(rung.loss, 4)}
      </span>
      <div>
        <div class="rung-name">
          <b>
            <Markup text={rung.label} />
          </b>{" "}
          <span>{told.kind}</span>
          {told.counts && (
            <span class="counts" title="curvatures: negative, zero, positive">
              ({told.counts.negative}, {told.counts.zero}, {told.counts.positive})
            </span>
          )}
        </div>
        {visits.map((visit, i) => (
          <Visit key={i} visit={visit} kind={visit.kind === told.kind ? null : visit.kind} onLook={(time) => model.change({ at: time })} />
        ))}
        {visits.length === 0 && known && <div class="faint">{lawOf(known)}</div>}
      </div>
    </li>
  );
}

interface VisitProps {
  visit: CertifiedFacts;
  /** What was found at the visit, where it is not what the rung says. */
  kind: string | null;
  onLook: (time: number) => void;
}

function Visit({ visit, kind, onLook }: VisitProps): JSX.Element {
  const { time, departure } = visit;
  return (
    <div class="visit">
      {time !== null && (
        <button type="button" class="link" title="Look at this time" onClick={() => onLook(time)}>
          at {short(time)}
        </button>
      )}
      {kind !== null && <b>{kind}</b>}
      <span>{lawOf(visit)}</span>
      {departure && departure.measured !== null && (
        <span title="time to double the distance along the way out, predicted and measured">
          leaves in {short(departure.predicted, 3)} predicted, {short(departure.measured, 3)} measured
        </span>
      )}
      {visit.doubt && <span class="faint">{visit.doubt}</span>}
    </div>
  );
}

function lawOf({ escape, kind }: CertifiedFacts): string {
  if (!escape) return kind.startsWith("minimum") ? "nothing leads down" : "no law of escape";
  const { law } = escape;
  return law.kind === "exponential"
    ? `exponential, rate ${short(law.rate, 3)}`
    : `algebraic of order ${law.order}, coefficient ${short(law.coefficient, 3)}`;
}
