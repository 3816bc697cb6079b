/** Sends a request to an API server. */
export interface SendRequest {
  (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly text: string;
    readonly body: unknown;
  }>;
  close(): void;
}

/** Returns a function that sends requests to an API server over HTTPS without verifying its certificate. */
export declare function requestSender(
  server: string,
  token: string,
  options?: { readonly userAgent?: string },
): SendRequest;
