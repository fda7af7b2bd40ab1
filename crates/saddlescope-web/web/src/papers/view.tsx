// The view of papers: all of them, or one with its figures, claims and errata.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Paper, PaperLine } from "../data/stored";
import { readJson, useWatched, Watched } from "../data/watch";
import { titleOf } from "../shell/about";
import { arrivals, note } from "../shell/route";
import { Trouble } from "../ui/trouble";
import { useListener } from "../ui/use-listener";
import { linkOf, placeOf, type PaperPlace } from "./address";
import { Claims, Errata, fitting } from "./claims";
import { VerdictMark } from "./evidence";
import { Figures, shortName } from "./figures";

export function PapersView({ rest, query }: { rest: string; query: string }): JSX.Element {
  return rest ? <One key={rest} name={rest} query={query} /> : <All />;
}

function authorsOf(authors: string[]): string {
  if (authors.length === 0) return "authors withheld";
  return authors.map((name) => name.split(", ").reverse().join(" ")).join(", ");
}

function All(): JSX.Element {
  const watched = useWatched("papers", () => new Watched<PaperLine[]>("/api/papers", readJson, () => null));
  return (
    <main class="papers" tabIndex={-1} aria-busy={watched.waiting.value}>
      <h1>The papers</h1>
      <Trouble words={watched.trouble.value} />
      {watched.value.value?.map((paper) => (
        <article key={paper.name} class="paper-line">
          <h2><a href={`/papers/${paper.name}`}>{titleOf(paper)}</a></h2>
          <p class="faint">{authorsOf(paper.authors)}</p>
          <p class="meaning">{paper.about}</p>
          <p class="verdicts">
            {paper.verdicts.map(({ words, count }) => <a key={words} href={linkOf(paper.name, { ...placeOf(""), verdict: words }, "claims")}><VerdictMark words={words} count={count} /></a>)}
            <span class="faint">{paper.experiments} experiments</span>
          </p>
        </article>
      ))}
    </main>
  );
}

const behind = (): string | null => decodeURIComponent(location.hash.slice(1)) || null;

function One({ name, query }: { name: string; query: string }): JSX.Element {
  const watched = useWatched(name, () => new Watched<Paper>(`/api/papers/${encodeURIComponent(name)}`, readJson, () => null));
  const [open, setOpen] = useState(behind);
  const paper = watched.value.value;
  const place = placeOf(query);
  const arrived = arrivals.value;
  // A link may lead to a claim that the filter hides, or that is drawn only now.
  useEffect(() => setOpen(behind()), [arrived]);
  useListener(["hashchange"], () => setOpen(behind()), []);
  useEffect(() => {
    const at = behind();
    if (paper && at) document.getElementById(at)?.scrollIntoView({ block: "start" });
  }, [paper, arrived]);
  const show = (next: PaperPlace, at: string | null, how: "push" | "replace" = "push"): void => {
    note(linkOf(name, next, at), how);
    setOpen(at);
  };
  if (!paper) return <main class="papers" tabIndex={-1} aria-busy={watched.waiting.value}><Trouble words={watched.trouble.value} /></main>;
  const hidden = paper.claims.some((claim) => claim.name === open) && !fitting(paper.claims, place).some((claim) => claim.name === open);
  return (
    <main class="papers" tabIndex={-1}>
      <header>
        <p class="crumbs"><a href="/papers">Papers</a> / {name} · <a href={`/live/${name}`}>play with it</a></p>
        <h1>{titleOf(paper)}</h1>
        <p class="faint">{authorsOf(paper.authors)}</p>
        <p class="verdicts">{paper.verdicts.map(({ words, count }) => <a key={words} href={linkOf(name, { ...placeOf(""), verdict: words }, "claims")}><VerdictMark words={words} count={count} /></a>)}</p>
        <nav class="sections" aria-label="Sections"><a href="#figures">Figures</a> <a href="#errata">False as printed</a> <a href="#claims">Claims</a></nav>
      </header>
      <Figures experiments={paper.experiments} open={paper.experiments.some((one) => `figure-${shortName(one)}` === open) ? (open ?? "").replace("figure-", "") : null} onOpen={(figure) => show(place, figure && `figure-${figure}`)} />
      <Errata claims={paper.claims} />
      <Claims claims={paper.claims} place={hidden ? placeOf("") : place} open={open} onChange={(change, how) => show({ ...place, ...change }, null, how)} onOpen={(claim) => show(place, claim)} />
    </main>
  );
}
