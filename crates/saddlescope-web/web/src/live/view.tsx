// The Live view: settings on the left, charts in the middle, weights and saddles on the right.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Declaration } from "../data/contract";
import { getJson, isAbort, words } from "../data/fetch";
import { titleOf } from "../shell/names";
import { arrivals } from "../shell/route";
import { Clock } from "./companions";
import { Controls } from "./controls/panel";
import { KeyCard, useKeys } from "./keys";
import { Ladder } from "./ladder";
import { LossChart } from "./loss";
import { Maps } from "./maps";
import { LiveModel } from "./model";
import { Panels } from "./panels";
import { Status } from "./status";
import { TakeAway } from "./takeaway";

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
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
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
  useEffect(() => {
    if (visits > 0) model.arrive(location.search);
  }, [visits]);
  useEffect(() => {
    document.title = `${title} · Saddlescope`;
  }, [model]);
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
