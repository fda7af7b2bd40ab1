// The chart of the loss, with theory, stages and the scrubber.
import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { Chart } from "../charts/chart";
import { timesOf } from "../charts/extent";
import { Legend } from "../charts/legend";
import { Scrubber } from "../charts/scrubber";
import type { Marks } from "../charts/trace";
import { short } from "../data/format";
import { nearest } from "../data/recording";
import { Markup } from "../ui/markup";
import type { Curve } from "./curve";
import type { LiveModel } from "./model";
import { Play, step } from "./play";
import { ScaleSwitch } from "./scales";
import { StageTable } from "./stages";
import { lossMarks } from "./traces";
import { chartInWords } from "./words";

/** A thin bar above the chart while a run is under way. */
function Progress({ curve }: { curve: Curve }): JSX.Element {
  const progress = curve.progress.value;
  return (
    <div class={`progress ${progress === null ? "" : "on"}`} role="progressbar" aria-hidden={progress === null} aria-label="run under way">
      <span class={progress !== null && progress < 0 ? "endless" : ""} style={{ width: `${Math.max(progress ?? 0, 0) * 100}%` }} />
    </div>
  );
}

/** The time that is read: the pointer's, otherwise the scrubber's. */
function Clockhand({ model }: { model: LiveModel }): JSX.Element {
  return <output class="reading hand">{model.reading.value === null ? "" : `t = ${short(model.reading.value)}`}</output>;
}

export function LossChart({ model }: { model: LiveModel }): JSX.Element {
  const traces = model.losses;
  const marks = useComputed(() => lossMarks(model.main.recording.value, model.view.value.stages));
  const recording = model.main.recording.value;
  const label = recording?.columns.get("loss")?.column.label ?? "loss";
  const { zoom, stages } = model.view.value;
  return (
    <section class="panel loss" aria-label="Loss">
      <div class="panel-head">
        <h2>
          <Markup text={label} />
        </h2>
        <Clockhand model={model} />
        <Legend traces={traces.value} marks={marks.value} time={model.reading} />
        <div class="tools">
          <Play model={model} />
          <button
            type="button"
            class="quiet small"
            aria-pressed={stages}
            title="Shade the plateaus that were found"
            onClick={() => model.change({ stages: !stages })}
          >
            stages
          </button>
          <ScaleSwitch of="time" scale={model.timeScale.value} onChange={(time) => model.change({ time, zoom: null })} />
          <ScaleSwitch of="loss" scale={model.lossScale.value} onChange={(loss) => model.change({ loss })} />
          {zoom && (
            <button type="button" class="quiet small" onClick={() => model.change({ zoom: null })}>
              whole time
            </button>
          )}
        </div>
      </div>
      <Progress curve={model.main} />
      {!recording && model.main.trouble.value ? <p class="nothing">nothing to show yet</p> : <LossLines model={model} marks={marks.value} />}
      {recording && <StageTable recording={recording} heard digits={4} />}
    </section>
  );
}

/** Its lines, with the scrubber on them. */
function LossLines({ model, marks }: { model: LiveModel; marks: Marks }): JSX.Element {
  const traces = model.losses;
  const recording = model.main.recording.value;
  const at = model.at.value;
  const { zoom } = model.view.value;
  const row = recording && at !== null ? nearest(recording.time, at) : 0;
  const here = recording && at !== null ? `time ${short(at)}, loss ${short(recording.columns.get("loss")?.values[row])}` : "";
  return (
    <Chart
      traces={traces.value}
      marks={marks}
      xScale={model.timeScale.value}
      yScale={model.lossScale.value}
      zoom={zoom}
      clock={model.clock.value}
      values={model.view.value.loss ? null : model.figure.value.loss.range}
      xLabel="time"
      summary={chartInWords("loss", recording, traces.value)}
      onZoom={(next) => model.change({ zoom: next })}
      onCursor={(time) => (model.cursor.value = time)}
      onPick={(time) => model.change({ at: time })}
      overlay={(plot, drawn) =>
        at !== null &&
        recording && (
          <Scrubber
            plot={plot}
            drawn={drawn}
            time={at}
            times={timesOf(traces.value, "linear")}
            text={here}
            onMove={(time, done) => model.change({ at: time }, done ? "push" : "replace")}
            onStep={(steps) => step(model, steps)}
          />
        )
      }
    />
  );
}
