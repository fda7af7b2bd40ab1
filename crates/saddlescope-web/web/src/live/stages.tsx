// The stages of a run as a table.
import type { JSX } from "preact";
import { short } from "../data/format";
import type { Recording } from "../data/recording";
import { Table } from "../ui/table";

/** For those who hear the page, or for all; heights with so many digits. */
export function StageTable({ recording, heard, digits }: { recording: Recording; heard: boolean; digits: number }): JSX.Element | null {
  const stages = recording.facts?.stages;
  if (!stages || (stages.plateaus.length === 0 && !heard)) return null;
  const rows = stages.plateaus.map((plateau, i) => ({ plateau, jump: stages.transitions[i] ?? null, number: i + 1 }));
  return (
    <section class={heard ? "unseen" : "air narrow"} aria-label="Stages">
      <Table
        caption="Stages of the loss"
        rows={rows}
        columns={[
          { head: "plateau", cell: ({ number }) => number },
          { head: "height", number: true, cell: ({ plateau }) => short(plateau.height, digits) },
          { head: "from time", number: true, cell: ({ plateau }) => short(plateau.from) },
          { head: "to time", number: true, cell: ({ plateau }) => short(plateau.to) },
          { head: "then jumps at", number: true, cell: ({ jump }) => (jump ? short(jump.exact ?? jump.time) : heard ? "no jump" : "") },
        ]}
      />
    </section>
  );
}
