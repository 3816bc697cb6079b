/** One HTTPS request to a webhook, with everything that decides whom it reaches. */
export interface WebhookRequest {
  readonly method: 'POST' | 'GET';
  /** What is asked for and, unless {@link connectTo} says otherwise, who is connected to. */
  readonly url: URL;
  /** Where to connect instead of the host that the URL names: a service's endpoint. */
  readonly connectTo?: { readonly host: string; readonly port: number } | undefined;
  /** PEM of the authorities that may vouch for the server. @defaultValue those that the system trusts */
  readonly ca?: string | undefined;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** What a webhook answered, read to its end. */
export interface WebhookResponse {
  readonly status: number;
  readonly contentType: string;
  /** Of a redirect. */
  readonly location?: string | undefined;
  readonly body: Uint8Array;
}

/**
 * The way to webhooks: the seam for tests and for whoever has another network. The server's certificate must be valid
 * for the URL's host. Connections may be kept; redirects are not followed.
 *
 * @throws Error whose message says what happened; the caller says to whom.
 */
export interface WebhookCaller {
  call(request: WebhookRequest): Promise<WebhookResponse>;
}
