// The stages of the main run as a table, for those who hear the page.
import type { JSX } from "preact";
import { short } from "../data/format";
import type { Recording } from "../data/recording";
import { Table } from "../ui/table";

export function StageTable({ recording }: { recording: Recording }): JSX.Element | null {
  const stages = recording.facts?.stages;
  if (!stages) return null;
  const rows = stages.plateaus.map((plateau, i) => ({ plateau, jump: stages.transitions[i] ?? null, number: i + 1 }));
  return (
    <div class="unseen">
      <Table
        caption="Stages of the loss"
        rows={rows}
        columns={[
          { head: "plateau", cell: ({ number }) => number },
          { head: "height", cell: ({ plateau }) => short(plateau.height) },
          { head: "from time", cell: ({ plateau }) => short(plateau.from) },
          { head: "to time", cell: ({ plateau }) => short(plateau.to) },
          { head: "then jumps at", cell: ({ jump }) => (jump ? short(jump.exact ?? jump.time) : "no jump") },
        ]}
      />
    </div>
  );
}
