import type { Clock, Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import type { ApiServerLimits } from '../api-server-options.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { ClusterClient } from '../delegation/cluster-client.ts';
import type { Storage } from '../storage/storage.ts';
import type { ComputedKind } from './computed-kind.ts';
import type { KindConversion } from './kind-conversion.ts';

/**
 * Options for {@link apiServer}.
 *
 * @example
 * ```ts
 * const options: ExtensionServerOptions = {
 *   kinds: [Well],
 *   definitions,
 *   storage: new MemoryStorage({ clock }),
 *   host: '0.0.0.0',
 *   port: 6443,
 *   certificates: '/etc/wells/certificates',
 * };
 * ```
 */
export interface ExtensionServerOptions {
  /** The kinds to serve, in all versions of their definitions. Objects are stored, unless the kind is {@link computed}. */
  readonly kinds: readonly (Kind<KubernetesObject> | ComputedKind)[];
  /** The schemas of the kinds: the content of `config/apiserver/kinds.json`, which `kubewright generate` writes. */
  readonly definitions: { readonly kinds: readonly object[] };
  /** Stores the objects. The server closes it when it stops. @defaultValue in memory, lost when the process exits */
  readonly storage?: Storage | undefined;
  /** Conversions of kinds whose versions differ in more than `apiVersion`, declared with `converter` of `@kubewright/runtime`. */
  readonly conversions?: readonly KindConversion[] | undefined;
  /**
   * A client of the cluster that the server belongs to. The server then trusts the cluster's API server, its users and
   * their permissions, and rejects objects in namespaces that do not exist in the cluster. @defaultValue the manager's
   * client, if the server is one of the manager's runnables
   */
  readonly cluster?: ClusterClient | undefined;
  /**
   * CAs that sign the client certificates of users, in PEM format: the common name is the user, organizations are groups. Trusted
   * in addition to the cluster's CAs. @defaultValue none
   */
  readonly clientCa?: string | undefined;
  /** Authenticators that run after the cluster's. @defaultValue none */
  readonly authenticators?: readonly Authenticator[] | undefined;
  /**
   * Replaces authorization by the cluster. @defaultValue the cluster; without a cluster, only members of
   * `system:masters` are authorized
   */
  readonly authorizer?: Authorizer | undefined;
  readonly admissionPlugins?: readonly AdmissionPlugin[] | undefined;
  /** The address to listen on. @defaultValue '127.0.0.1' */
  readonly host?: string | undefined;
  /** The port to listen on; 0 picks any free port. @defaultValue 0 */
  readonly port?: number | undefined;
  /**
   * Folder with `tls.crt` and `tls.key`, which are reread every minute. @defaultValue a self-issued certificate, see `authority`
   */
  readonly certificates?: string | undefined;
  /** Names in the self-issued certificate, in addition to those of this machine, such as `wells.default.svc`. */
  readonly hostnames?: readonly string[] | undefined;
  readonly limits?: ApiServerLimits | undefined;
  /**
   * Time to keep serving after the stop begins, in milliseconds. `/readyz` fails immediately, so the cluster stops
   * sending requests before the server rejects connections. Then watches end, and requests in progress get `graceMs`.
   * Like `--shutdown-delay-duration` of kube-apiserver. Both times together must be shorter than the manager's
   * `gracefulShutdownTimeoutMs` and the pod's `terminationGracePeriodSeconds`. @defaultValue 0, as in kube-apiserver
   */
  readonly shutdownDelayMs?: number | undefined;
  /** Time for requests in progress to finish when the server stops, in milliseconds. @defaultValue 2000 */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /**
   * Called with internal errors, and with failures of the cluster's reviews. @defaultValue prints one line to stderr
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}
