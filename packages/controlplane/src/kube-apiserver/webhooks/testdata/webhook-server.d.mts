/** A request that a webhook server received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: { readonly request?: Readonly<Record<string, unknown>> };
}

/** The server's reaction to a review: it responds, does not respond, or closes the connection. */
export type WebhookReply =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly text?: string;
    }
  | 'hang'
  | 'cut';

/** Behaviors by path, without the leading slash. */
export type WebhookBehaviors = Readonly<Record<string, (review: unknown) => WebhookReply>>;

/** A webhook server on loopback. */
export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  /** Returns the requests received since the last call. */
  take(): readonly Received[];
  connections(): number;
  close(): Promise<void>;
}

export declare function startWebhookServer(options: {
  readonly key: string;
  readonly cert: string;
  readonly behaviors: WebhookBehaviors;
  readonly port?: number;
  readonly onHang?: () => void;
}): Promise<WebhookServer>;
