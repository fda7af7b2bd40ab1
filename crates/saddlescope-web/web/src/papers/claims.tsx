// The claims of a paper, filtered; each opens to its words, assumptions and evidence.
import type { JSX } from "preact";
import type { Claim } from "../data/stored";
import { Markup } from "../ui/markup";
import type { PaperPlace } from "./address";
import { Evidence } from "./evidence";
import { VerdictMark } from "./verdict";

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
  const verdicts = [...new Set(claims.map(({ recorded }) => recorded))];
  return (
    <section class="claims" aria-labelledby="claims">
      <div class="section-head">
        <h2 id="claims">Claims</h2>
        <div class="filters" role="search">
          <input class="search" type="search" placeholder="Filter by words" aria-label="Filter claims by words" value={place.text} onInput={(event) => onChange({ text: event.currentTarget.value }, "replace")} onChange={(event) => onChange({ text: event.currentTarget.value })} />
          <select aria-label="Verdict" value={place.verdict} onChange={(event) => onChange({ verdict: event.currentTarget.value })}>
            <option value="">every verdict</option>
            {verdicts.map((words) => <option key={words} value={words}>{words}</option>)}
          </select>
          <select aria-label="Kind" value={place.kind} onChange={(event) => onChange({ kind: event.currentTarget.value })}>
            <option value="">every kind</option>
            {KINDS.filter((kind) => claims.some((claim) => claim.kind === kind)).map((kind) => <option key={kind} value={kind}>{kind}</option>)}
          </select>
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
