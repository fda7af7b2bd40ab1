// The line at the foot: what the run came to, and how long it took.
import type { JSX } from "preact";
import { seconds, short } from "../data/format";
import type { LiveModel } from "./model";
import { lastTiming } from "./timings";
import { summaryOf } from "./words";

export function Status({ model, onHelp }: { model: LiveModel; onHelp: () => void }): JSX.Element {
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
