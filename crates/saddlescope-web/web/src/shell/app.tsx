// The frame of the page: header with tabs, and the view that the path names.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { LiveView } from "../live/view";
import { PapersView } from "../papers/view";
import { RunsView } from "../runs/view";
import { Announcements } from "../ui/announce";
import { about, aboutTrouble, askAbout, systemName, titleOf } from "./about";
import { place } from "./route";
import { theme, turn } from "./theme";

/** A view of the page. */
interface ViewEntry {
  /** The first part of the path. */
  path: string;
  /** Its tab, beside those of the systems; the Live view has one per system instead. */
  tab: string | null;
  view: (props: { rest: string; query: string }) => JSX.Element;
}

function Live({ rest }: { rest: string }): JSX.Element {
  const system = rest || about.value?.systems[0]?.name;
  return system ? <LiveView key={system} system={system} /> : <main class="outline" aria-busy="true" />;
}

const VIEWS: ViewEntry[] = [
  { path: "live", tab: null, view: Live },
  { path: "runs", tab: "Runs", view: RunsView },
  { path: "papers", tab: "Papers", view: PapersView },
];

function Tab({ href, on, title, children }: { href: string; on: boolean; title?: string; children: string }): JSX.Element {
  return (
    <a class="tab" href={href} title={title} aria-current={on ? "page" : undefined}>
      {children}
    </a>
  );
}

function Header({ first, rest }: { first: string; rest: string }): JSX.Element {
  const systems = about.value?.systems ?? [];
  const shown = first === "live" ? rest || systems[0]?.name : null;
  return (
    <header class="top">
      <a class="name" href="/">
        Saddlescope
      </a>
      <nav class="tabs" aria-label="Systems">
        {systems.map(({ name, title, about: what }) => (
          <Tab key={name} href={`/live/${name}`} on={shown === name} title={`${titleOf({ name, title })}: ${what}`}>
            {systemName(name)}
          </Tab>
        ))}
      </nav>
      <nav class="tabs end" aria-label="Views">
        {VIEWS.map(({ path, tab }) => tab && <Tab key={path} href={`/${path}`} on={first === path}>{tab}</Tab>)}
        <button
          type="button"
          class="quiet"
          onClick={turn}
          aria-label={`Change to the ${theme.value === "dark" ? "light" : "dark"} theme`}
          title="Light or dark"
        >
          {theme.value === "dark" ? "☀" : "☾"}
        </button>
      </nav>
    </header>
  );
}

export function App(): JSX.Element {
  useEffect(() => void askAbout(), []);
  const [first = "", ...others] = place.value.path.split("/").filter(Boolean);
  const rest = decodeURIComponent(others.join("/"));
  const path = first || "live";
  const entry = VIEWS.find((one) => one.path === path);
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header first={path} rest={rest} />
      {aboutTrouble.value && (
        <p class="trouble bar" role="alert">
          {aboutTrouble.value}{" "}
          <button type="button" onClick={() => void askAbout()}>
            Try again
          </button>
        </p>
      )}
      {entry ? (
        <entry.view rest={rest} query={place.value.query} />
      ) : (
        <main class="plain" tabIndex={-1}>
          <h1>Nothing here</h1>
          <p>
            There is no view at {place.value.path}. <a href="/">To the first system</a>
          </p>
        </main>
      )}
      <Announcements />
    </>
  );
}
