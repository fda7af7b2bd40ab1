// Laws that were fitted to a table, beside theory's.
import type { JSX } from "preact";
import { short } from "../data/format";
import type { Estimate, Fit } from "../data/stored";
import { Markup } from "../ui/markup";
import { Table } from "../ui/table";

const between = ({ value, interval }: Estimate): string => `${short(value)}${interval ? ` [${short(interval[0])}, ${short(interval[1])}]` : ""}`;

export function Fits({ fits }: { fits: Fit[] | null }): JSX.Element | null {
  if (!fits || fits.length === 0) return null;
  const grouped = ({ group }: Fit): string => Object.entries(group).map(([key, value]) => `${key} = ${value}`).join(", ");
  return (
    <section class="data" aria-label="Fitted laws">
      <div class="panel-head"><h2>Fitted laws</h2><span class="faint">intervals over seeds</span></div>
      <div class="air">
        <Table
          caption="Fitted laws"
          rows={fits}
          columns={[
            { head: "y", cell: ({ y }) => y },
            { head: "x", cell: ({ x }) => x },
            { head: "of", cell: grouped },
            { head: "law", cell: ({ fit, error }) => fit?.form ?? <span class="trouble">{error}</span> },
            { head: "slope", number: true, cell: ({ fit }) => (fit ? between(fit.slope) : "") },
            { head: "theory", number: true, cell: ({ theory }) => (theory ? short(theory.slope) : "") },
            { head: "source", cell: ({ theory }) => <Markup text={theory?.source ?? ""} /> },
            { head: "verdict", cell: ({ verdict }) => verdict ?? "" },
          ]}
        />
      </div>
    </section>
  );
}
