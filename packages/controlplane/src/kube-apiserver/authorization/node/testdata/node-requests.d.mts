/** A response, recorded or from this server. */
export interface NodeAnswer {
  readonly request: string;
  readonly status: number;
  readonly message?: string;
}

/** Sends one request. */
export type SendRequest = (
  method: string,
  path: string,
  options: { readonly body?: string | undefined; readonly headers: Record<string, string> },
) => Promise<{ readonly status: number; readonly text: string }>;

/** Returns the headers with which the administrator impersonates a user. */
export declare function headersOf(who: string): Record<string, string>;

/** Sends all requests in order and returns the responses. */
export declare function play(send: SendRequest): Promise<readonly NodeAnswer[]>;
