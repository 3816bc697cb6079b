import type { UserInfo } from '../authentication/authenticator.ts';

/** One request on its way through a registry. */
export interface Call {
  readonly user: UserInfo;
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
  /** Sends a `Warning` header with the answer. */
  warn(text: string): void;
}

/** A request that changes something. */
export interface WriteCall extends Call {
  readonly dryRun: boolean;
  /** Who owns the written fields: `fieldManager`, or the client's name. */
  readonly manager: string;
  /** Name of the subresource that is written through; empty for the object itself. */
  readonly subresource: string;
  /** What admission is told of the client's options. @defaultValue nothing was said */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Refuses callers who may not create. Set for requests that were authorized as an update or a patch, and called before
   * such a request creates an object.
   *
   * @throws StatusError 403
   */
  readonly authorizeCreate?: (() => Promise<void>) | undefined;
  /** True for each deletion of a whole collection: admission is told no name. */
  readonly collection?: boolean | undefined;
}
