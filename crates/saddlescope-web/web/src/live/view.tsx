// The Live view: settings on the left, charts in the middle, weights and saddles on the right.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Declaration } from "../data/contract";
import { getJson, isAbort, words } from "../data/fetch";
import { seconds, short } from "../data/format";
import { titleOf } from "../shell/about";
import { arrivals } from "../shell/route";
import { Trouble } from "../ui/trouble";
import { Clock } from "./companions";
import { Controls } from "./controls/panel";
import { KeyCard, useKeys } from "./keys";
import { Ladder } from "./ladder";
import { LossChart } from "./loss";
import { Maps } from "./maps";
import { LiveModel } from "./model";
import { Panels } from "./panels";
import { TakeAway } from "./takeaway";
import { lastTiming } from "./timings";
import { summaryOf } from "./words";

export function LiveView({ system }: { system: string }): JSX.Element {
  const model = useSignal<LiveModel | null>(null);
  const trouble = useSignal<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    getJson<Declaration>(`/api/systems/${encodeURIComponent(system)}`, abort.signal).then(
      (declaration) => (model.value = new LiveModel(declaration)),
      (error: unknown) => {
        if (!isAbort(error)) trouble.value = words(error);
      },
    );
    return () => {
      abort.abort();
      model.value?.stop();
    };
  }, [system]);
  if (trouble.value)
    return (
      <main class="plain" tabIndex={-1}>
        <Trouble words={trouble.value} />
      </main>
    );
  if (!model.value)
    return (
      <main class="outline" aria-busy="true">
        <div class="outline-left" />
        <div class="outline-centre">
          <div />
          <div />
        </div>
        <div class="outline-right" />
      </main>
    );
  return <Live model={model.value} />;
}

function Live({ model }: { model: LiveModel }): JSX.Element {
  const help = useSignal(false);
  useKeys(model, (open) => (help.value = open));
  const title = titleOf(model.declaration);
  const visits = arrivals.value;
  useEffect(() => void (visits > 0 && model.arrive(location.search)), [visits]);
  useEffect(() => void (document.title = `${title} · Saddlescope`), [model]);
  return (
    <>
      <main class="live" id="content" tabIndex={-1}>
        <Controls model={model} />
        <div class="centre">
          <div class="centre-head">
            <div>
              <h1>{title}</h1>
              <p class="meaning">{model.declaration.about}</p>
            </div>
            <TakeAway model={model} />
          </div>
          <Clock model={model} />
          <LossChart model={model} />
          <Panels model={model} />
        </div>
        <aside class="side" aria-label="Weights, attention and saddles">
          <Maps model={model} />
          <Ladder model={model} />
        </aside>
        <KeyCard open={help.value} onClose={() => (help.value = false)} />
      </main>
      <Status model={model} onHelp={() => (help.value = true)} />
    </>
  );
}

/** The line at the foot: what the run came to, and how long it took. */
function Status({ model, onHelp }: { model: LiveModel; onHelp: () => void }): JSX.Element {
  const recording = model.main.recording.value;
  const trouble = model.main.trouble.value;
  const timing = lastTiming.value;
  const facts = recording?.facts;
  return (
    <footer class="status">
      {trouble ? (
        <span class="trouble">{trouble.words}</span>
      ) : (
        <span>{recording ? summaryOf(recording) : "the first run is under way"}</span>
      )}
      <span class="status-end">
        {recording && <span>{recording.problem.parameters} parameters</span>}
        {facts && (
          <span>
            {seconds(facts.seconds)} computed
            {timing && timing.system === model.declaration.name && ` · ${short(timing.milliseconds, 2)} ms on screen`}
          </span>
        )}
        <button type="button" class="quiet small" aria-label="Keys" title="Keys (?)" onClick={onHelp}>
          ?
        </button>
      </span>
    </footer>
  );
}
