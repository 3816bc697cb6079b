import type { AdmissionAttributes } from '../admission/admission-plugin.ts';
import type { UserInfo } from '../authentication/authenticator.ts';

/** A request passing through a registry. */
export interface Call {
  readonly user: UserInfo;
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request. @defaultValue no audit log */
  readonly annotate?: AdmissionAttributes['annotate'];
}

/** A request that writes. */
export interface WriteCall extends Call {
  readonly dryRun: boolean;
  /** The manager of the written fields: `fieldManager`, or the client's name. */
  readonly manager: string;
  /** Name of the subresource that the write goes through; empty for the object itself. */
  readonly subresource: string;
  /** The client's options, as passed to admission. @defaultValue no options */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Rejects callers without permission to create the object. Set for updates and patches, and called before they create a missing
   * object.
   *
   * @throws StatusError 403
   */
  readonly authorizeCreate?: (() => Promise<void>) | undefined;
  /** True if the deletion is part of a deletecollection request, for which admission gets no name. */
  readonly collection?: boolean | undefined;
}
