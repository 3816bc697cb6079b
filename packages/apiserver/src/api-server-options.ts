import type { Clock, Random } from '@kubewright/apimachinery';
import type { AdmissionPlugin } from './admission/admission-plugin.ts';
import type { Authenticator, UserInfo } from './authentication/authenticator.ts';
import type { Authorizer } from './authorization/authorizer.ts';
import type { RequestContext } from './endpoints/index.ts';
import type { ApiRequest, ApiResponse } from './http/api-request.ts';
import type { ProtobufCodec } from './negotiation/index.ts';
import type { ResourceCatalog } from './registry/index.ts';
import type { RequestInfo } from './request-info/index.ts';
import type { Storage } from './storage/index.ts';

/**
 * Handles requests for paths that are not resources, such as discovery, OpenAPI, health, version and metrics. Returns
 * `undefined` for any other path.
 *
 * @example
 * ```ts
 * const hello: NonResourceHandler = ({ request, user }) =>
 *   request.path === '/hello'
 *     ? { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(`hello ${user.username}\n`) }
 *     : undefined;
 * ```
 */
export type NonResourceHandler = (context: RequestContext) => Promise<ApiResponse> | ApiResponse | undefined;

/** Describes a completed request, for metrics. */
export interface AuditEvent {
  readonly auditId: string;
  readonly request: ApiRequest;
  readonly info: RequestInfo | undefined;
  /** Absent if the request was rejected before authentication completed. */
  readonly user: UserInfo | undefined;
  readonly status: number;
  readonly durationMs: number;
}

/**
 * Limits on requests. Requests beyond a limit get a 429 with `Retry-After`. Privileged callers are members of the group
 * `system:masters`, which upstream never rejects (1.36), and callers inside the process, such as the cluster's own controllers.
 */
export interface ApiServerLimits {
  /** Maximum size of a request body, in bytes. @defaultValue 3 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum number of concurrent read requests. @defaultValue 400 */
  readonly maxReading?: number | undefined;
  /** Maximum number of concurrent write requests. @defaultValue 200 */
  readonly maxWriting?: number | undefined;
  /** Additional concurrent reads, and as many additional writes, for privileged callers only. @defaultValue 40 */
  readonly reserved?: number | undefined;
  /** The fraction of each limit that one user may hold at a time; privileged callers are exempt. @defaultValue 0.5 */
  readonly userShare?: number | undefined;
  /** Maximum number of open streams: watches, logs and connections to pods. @defaultValue 3,000 */
  readonly maxStreams?: number | undefined;
  /** Maximum number of open streams of one user; privileged callers are exempt. @defaultValue 1,000 */
  readonly maxStreamsPerUser?: number | undefined;
  /** Additional streams for privileged callers; nodes and controllers may use half of them. @defaultValue 1,000 */
  readonly reservedStreams?: number | undefined;
  /**
   * Maximum size of the events that one user's watches have not read yet, in bytes. Beyond this size, the slowest of
   * these watches ends with a 429. Privileged callers are exempt. @defaultValue 64 MiB
   */
  readonly maxUnreadBytesPerUser?: number | undefined;
}

/**
 * Options for {@link ApiServer}.
 *
 * @example
 * ```ts
 * const catalog = new MutableCatalog([flunders]);
 * const options: ApiServerOptions = {
 *   storage: new MemoryStorage({ clock }),
 *   clock,
 *   random: systemRandom,
 *   catalog,
 *   authenticators: [certificateAuthenticator],
 *   authorizer: superuserAuthorizer,
 * };
 * ```
 */
export interface ApiServerOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly catalog: ResourceCatalog;
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  /** Admission plugins in order; see {@link AdmissionChain}. */
  readonly admissionPlugins?: readonly AdmissionPlugin[] | undefined;
  /** Forwards requests that another server handles. Runs before all other handlers. */
  readonly aggregation?: NonResourceHandler | undefined;
  /** Handlers for paths that are not resources, tried in order. */
  readonly nonResourceHandlers?: readonly NonResourceHandler[] | undefined;
  /**
   * Encodes and decodes built-in kinds as protobuf. Without it, protobuf bodies get a 415, and clients that accept only protobuf
   * get a 406.
   */
  readonly protobuf?: ProtobufCodec | undefined;
  readonly limits?: ApiServerLimits | undefined;
  /** Receives internal errors. */
  readonly onError?: ((error: unknown, request: ApiRequest) => void) | undefined;
  readonly audit?: ((event: AuditEvent) => void) | undefined;
  /**
   * Writes audit events (`Event` of audit.k8s.io/v1). `policy` is a `Policy` of audit.k8s.io/v1 as a JSON value; an invalid
   * policy fails with KW5040. `write` gets the events as JSON values and must not throw.
   *
   * @defaultValue no audit log
   */
  readonly auditLog?:
    | { readonly policy: unknown; readonly write: (event: Readonly<Record<string, unknown>>) => void }
    | undefined;
}
