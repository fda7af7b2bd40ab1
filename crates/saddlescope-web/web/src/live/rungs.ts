// Rungs of the ladder: a saddle that is known, and the visits of the run to it.
import type { Certificate, Saddles } from "../data/contract";

export interface Rung {
  key: string;
  label: string;
  loss: number;
  known: Certificate | null;
  visits: Certificate[];
}

/** From high to low loss; what the run came by without theory knowing it has a rung of its own. */
export function rungsOf({ known, visited }: Saddles): Rung[] {
  const rungs = known.map((certificate): Rung => {
    const name = certificate.saddle ?? "";
    return {
      key: `known ${name}`,
      label: certificate.label ?? name.replace(/_/g, " "),
      loss: certificate.point?.loss ?? certificate.loss,
      known: certificate,
      visits: [],
    };
  });
  visited.forEach((visit, i) => {
    const name = visit.saddle ?? visit.near?.saddle ?? null;
    const own = rungs.find((rung) => rung.known !== null && rung.known.saddle === name && name !== null);
    if (own) own.visits.push(visit);
    else rungs.push({ key: `visited ${i}`, label: visit.where, loss: visit.point?.loss ?? visit.loss, known: null, visits: [visit] });
  });
  return rungs.sort((a, b) => b.loss - a.loss);
}
