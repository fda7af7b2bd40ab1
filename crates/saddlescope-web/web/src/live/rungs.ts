// Rungs of the ladder: a saddle that is known, and the visits of the run to it.
import type { CertifiedFacts, KnownFacts, Saddles } from "../data/contract";

export interface Rung {
  key: string;
  label: string;
  loss: number;
  known: KnownFacts | null;
  visits: CertifiedFacts[];
}

/** How far a visit's loss may be from the rung's: a share of all known losses, or of the loss where only one is known. */
const OF_RANGE = 0.02;
const OF_LOSS = 0.01;

const lossOf = ({ point, loss }: CertifiedFacts): number => point?.loss ?? loss;

/** From high to low loss; what the run came by without theory knowing it has a rung of its own. */
export function rungsOf({ known, visited }: Saddles): Rung[] {
  const rungs = known.map((certificate): Rung => {
    const name = certificate.saddle ?? "";
    return {
      key: `known ${name}`,
      label: name.replace(/_/g, " "),
      loss: lossOf(certificate),
      known: certificate,
      visits: [],
    };
  });
  const losses = rungs.map(({ loss }) => loss).filter(Number.isFinite);
  const range = losses.length > 0 ? Math.max(...losses) - Math.min(...losses) : 0;
  // The nearest saddle may still be far: only a visit at its height is a visit to it.
  const agrees = (rung: Rung, loss: number): boolean =>
    Math.abs(rung.loss - loss) <= (range > 0 ? OF_RANGE * range : OF_LOSS * Math.abs(rung.loss));
  visited.forEach((visit, i) => {
    const name = visit.saddle ?? visit.near?.saddle ?? null;
    const loss = lossOf(visit);
    const own = rungs.find((rung) => rung.known !== null && rung.known.saddle === name && name !== null && agrees(rung, loss));
    if (own) own.visits.push(visit);
    else rungs.push({ key: `visited ${i}`, label: visit.where, loss, known: null, visits: [visit] });
  });
  return rungs.sort((a, b) => b.loss - a.loss);
}
