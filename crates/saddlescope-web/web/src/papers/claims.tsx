// The claims of a paper, filtered; each opens to its words, assumptions and evidence.
import type { JSX } from "preact";
import type { Claim } from "../data/stored";
import { Choice } from "../ui/choice";
import { Markup } from "../ui/markup";
import type { PaperPlace } from "./address";
import { Evidence, VerdictMark } from "./evidence";

const KINDS = ["equation", "landscape", "dynamics", "figure"];

interface Props {
  claims: Claim[];
  place: PaperPlace;
  open: string | null;
  onChange: (change: Partial<PaperPlace>, how?: "push" | "replace") => void;
  onOpen: (name: string | null) => void;
}

export function fitting(claims: Claim[], { verdict, kind, text }: PaperPlace): Claim[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return claims.filter((claim) => {
    if (verdict && claim.recorded !== verdict) return false;
    if (kind && claim.kind !== kind) return false;
    const all = `${claim.name} ${claim.place} ${claim.statement} ${claim.correction ?? ""} ${claim.assumes.join(" ")}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export function Claims({ claims, place, open, onChange, onOpen }: Props): JSX.Element {
  const shown = fitting(claims, place);
  const kinds = KINDS.filter((kind) => claims.some((claim) => claim.kind === kind));
  const verdicts = [...new Set(claims.map(({ recorded }) => recorded))];
  return (
    <section class="claims" aria-labelledby="claims">
      <div class="section-head">
        <h2 id="claims">Claims</h2>
        <div class="filters" role="search">
          <input class="search" type="search" placeholder="Filter by words" aria-label="Filter claims by words" value={place.text} onInput={(event) => onChange({ text: event.currentTarget.value }, "replace")} onChange={(event) => onChange({ text: event.currentTarget.value })} />
          <Choice label="Verdict" value={place.verdict} options={verdicts} onChange={(verdict) => onChange({ verdict })} />
          <Choice label="Kind" value={place.kind} options={kinds} onChange={(kind) => onChange({ kind })} />
          <span class="faint" role="status">{shown.length} of {claims.length}</span>
        </div>
      </div>
      {shown.map((claim) => <OneClaim key={claim.id} claim={claim} open={open === claim.name} onOpen={onOpen} />)}
      {shown.length === 0 && <p class="faint">No claim fits the filter.</p>}
    </section>
  );
}

function OneClaim({ claim, open, onOpen }: { claim: Claim; open: boolean; onOpen: Props["onOpen"] }): JSX.Element {
  return (
    <article class={`claim ${open ? "open" : ""}`} id={claim.name} aria-label={`${claim.name}: ${claim.recorded}`}>
      <div class="claim-line">
        <VerdictMark words={claim.recorded} />
        <button type="button" class="claim-name" aria-expanded={open} onClick={() => onOpen(open ? null : claim.name)}>{claim.name}</button>
        <span class="claim-statement"><Markup text={claim.statement} /></span>
        <span class="claim-place faint"><Markup text={claim.place} /></span>
      </div>
      {open && (
        <div class="claim-body">
          {claim.correction && <p><b>Right is: </b><Markup text={claim.correction} /></p>}
          {claim.assumes.map((assumption, i) => <p key={i} class="meaning">Assumes: <Markup text={assumption} /></p>)}
          <p class="meaning">{claim.kind}, <Markup text={claim.place} />. <a href={`#${claim.name}`}>Link to this claim</a> · <code>saddlescope check {claim.id} --details</code></p>
          <Evidence id={claim.id} />
        </div>
      )}
    </article>
  );
}

/** What is false as printed: the print and what is right, side by side. */
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
