/** An HTTPS request to a webhook, with everything that determines its destination. */
export interface WebhookRequest {
  readonly method: 'POST' | 'GET';
  /** The requested URL. Its host is also the address to connect to, unless {@link connectTo} is set. */
  readonly url: URL;
  /** The address to connect to instead of the URL's host: a service's endpoint. */
  readonly connectTo?: { readonly host: string; readonly port: number } | undefined;
  /** CAs trusted to sign the server's certificate, in PEM format. @defaultValue the system's CAs */
  readonly ca?: string | undefined;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** A webhook's complete response. */
export interface WebhookResponse {
  readonly status: number;
  readonly contentType: string;
  /** Present for redirects. */
  readonly location?: string | undefined;
  readonly body: Uint8Array;
}

/**
 * The transport for webhook calls. Tests and custom networks can replace it. The server's certificate must be valid for
 * the URL's host. Connections may be reused; redirects are not followed.
 *
 * @throws Error whose message says what happened; the caller of this method adds the URL.
 */
export interface WebhookCaller {
  call(request: WebhookRequest): Promise<WebhookResponse>;
}
