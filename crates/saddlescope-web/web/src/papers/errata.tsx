// What is false as printed: the print and what is right, side by side.
import type { JSX } from "preact";
import type { Claim } from "../data/stored";
import { Markup } from "../ui/markup";

export function Errata({ claims }: { claims: Claim[] }): JSX.Element | null {
  const wrong = claims.filter(({ correction }) => correction !== null);
  if (wrong.length === 0) return null;
  return (
    <section class="errata" aria-labelledby="errata">
      <div class="section-head"><h2 id="errata">False as printed</h2><span class="faint">{wrong.length} of {claims.length} claims; each correction is confirmed by measurement</span></div>
      <table class="table errata-table">
        <caption class="unseen">Statements that are false as printed, with corrections</caption>
        <thead><tr><th scope="col">where</th><th scope="col">printed</th><th scope="col">right is</th></tr></thead>
        <tbody>
          {wrong.map((claim) => (
            <tr key={claim.id}>
              <th scope="row"><a href={`#${claim.name}`}>{claim.name}</a><br /><span class="faint"><Markup text={claim.place} /></span></th>
              <td><Markup text={claim.statement} /></td>
              <td><Markup text={claim.correction ?? ""} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
