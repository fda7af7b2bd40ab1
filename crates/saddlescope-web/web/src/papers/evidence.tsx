// The verdict on a claim, and what was measured about it just now.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { seconds, short } from "../data/format";
import type { Checked, Measurement } from "../data/stored";
import { Markup } from "../ui/markup";
import { Table } from "../ui/table";
import { Trouble } from "../ui/trouble";
import { Making, Progress } from "./anew";

const SIGNS: Record<string, [sign: string, name: string]> = {
  "holds": ["●", "holds"],
  "holds approximately": ["◐", "roughly"],
  "false as printed": ["✕", "false"],
  "assumption not met": ["△", "unmet"],
  "inconclusive": ["?", "open"],
  "not tested": ["○", "untested"],
};

/** A verdict: its words and a shape, so that colour is not needed. */
export function VerdictMark({ words, count }: { words: string; count?: number }): JSX.Element {
  const [sign, name] = SIGNS[words] ?? ["?", "open"];
  return (
    <span class={`verdict ${name}`}>
      <span class="verdict-sign" aria-hidden="true">{sign}</span> {count !== undefined && <b>{count}</b>} {words}
    </span>
  );
}

export function Evidence({ id }: { id: string }): JSX.Element {
  const making = useMemo(() => new Making("/api/check", { id }), [id]);
  useEffect(() => () => making.stop(), [making]);
  const found = making.end.value?.claim ?? null;
  const busy = making.done.value !== null;
  return (
    <div class="evidence">
      <p>
        {!busy && <button type="button" onClick={() => making.start()}>{found ? "Check again" : "Check now"}</button>}
        <Progress making={making} what={`checking ${id}`} />
        {!busy && !found && <span class="meaning"> gathers the evidence on this machine</span>}
        {found && !busy && <> <VerdictMark words={found.verdict} /> <span class="faint">{found.verdict === found.recorded ? "as on record" : `on record: ${found.recorded}`}, {seconds(found.seconds)}</span></>}
      </p>
      <Trouble words={making.trouble.value} />
      {found && <Findings found={found} />}
    </div>
  );
}

function Findings({ found }: { found: Checked }): JSX.Element {
  const rows = [
    ...(found.printed ?? []).map((measurement) => ({ form: "printed", measurement })),
    ...(found.corrected ?? []).map((measurement) => ({ form: "corrected", measurement })),
  ];
  return (
    <>
      {found.error && <p class="trouble">{found.error}</p>}
      {found.untested && <p class="meaning"><Markup text={found.untested} /></p>}
      {found.assumptions?.map(({ what, met }, i) => <p key={i} class="meaning">{met ? "Met: " : "Not met: "}<Markup text={what} /></p>)}
      {rows.length > 0 && (
        <Table
          caption="Measurements"
          rows={rows}
          columns={[
            { head: "form", cell: ({ form }) => form },
            { head: "what", cell: ({ measurement }) => <Markup text={measurement.what} /> },
            { head: "predicted", number: true, cell: ({ measurement }) => `${SIGN[measurement.relation]}${short(measurement.predicted, 5)}` },
            { head: "measured", number: true, cell: ({ measurement }) => short(measurement.measured, 5) },
            { head: "off by", number: true, cell: ({ measurement }) => scaled(measurement.error, measurement) },
            { head: "allowed", number: true, cell: ({ measurement }) => scaled(measurement.tolerance, measurement) },
          ]}
        />
      )}
      {found.notes?.map((note, i) => <p key={i} class="meaning"><Markup text={note} /></p>)}
    </>
  );
}

const SIGN: Record<Measurement["relation"], string> = { equal: "", "at least": "≥ ", "at most": "≤ " };

function scaled(error: number, { scale }: Measurement): string {
  if (scale === "relative" && error >= 1e-4) return `${short(100 * error, 3)} %`;
  return scale === "relative" && error > 0 ? `${short(error, 3)} rel.` : short(error, 3);
}
