// Asking the server: JSON in, JSON out, and errors in its own words.

/** What the server refused, in its words, with the setting that is to blame where it names one. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly key: string | null,
  ) {
    super(message);
  }
}

/** No answer, or only the beginning of one: the program is gone, and may come back. */
export class Unreachable extends Error {}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await answered(fetch(path, signal ? { signal } : {}))).json() as Promise<T>;
}

export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await post(path, body, signal)).json() as Promise<T>;
}

/** Sends JSON and gives the answer as it is, once the server has accepted the request. */
export async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const init: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  if (signal) init.signal = signal;
  return answered(fetch(path, init));
}

async function answered(request: Promise<Response>): Promise<Response> {
  let answer: Response;
  try {
    answer = await request;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Unreachable("the program does not answer; is `saddlescope serve` still running?");
  }
  if (answer.ok) return answer;
  throw await refusalOf(answer);
}

export async function refusalOf(answer: Response): Promise<Refusal> {
  const text = await answer.text();
  try {
    const said = JSON.parse(text) as { error?: unknown; key?: unknown };
    if (typeof said.error === "string") {
      return new Refusal(said.error, answer.status, typeof said.key === "string" ? said.key : null);
    }
  } catch {
    // Not JSON: the text itself is what there is to say.
  }
  return new Refusal(text || `the server answered ${answer.status}`, answer.status, null);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
