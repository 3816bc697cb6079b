/** The address of a server, and the credentials for it. */
export interface Target {
  readonly url: string;
  /** The administrator's bearer token. */
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** One request. `as` is the caller: `admin` (the default), `anonymous`, or the name of a user to impersonate. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly as?: string;
}

export interface Json {
  readonly [key: string]: Json;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  readonly json: any;
}

/** The parts of a response that clients depend on. */
export interface Result {
  readonly name: string;
  readonly status: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: readonly string[];
  readonly warning?: string;
  readonly text?: string;
  /** A part of the answer, as JSON. */
  readonly shown?: string;
}

export interface Step {
  readonly name: string;
}

export interface Table {
  readonly namespace: string;
  readonly cases: readonly Step[];
}

export function send(target: Target, request: WireRequest): Promise<WireAnswer>;
export function runTable(
  target: Target,
  table: Table,
  options?: { readonly after?: (step: Step) => Promise<void> },
): Promise<readonly Result[]>;
