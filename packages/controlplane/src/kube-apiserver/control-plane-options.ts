import type { Clock, Random } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import type { ApiServerOptions, ConnectSubresource, Storage, UserInfo } from '@kubewright/apiserver';
import type { HttpsWebhookCaller, WebhookCaller } from '@kubewright/apiserver/internal';
import type { ProxySubresource } from '../kinds/index.ts';
import type { PodSecurityOptions } from './admission/index.ts';
import type { AuthenticationTrust } from './bootstrap/index.ts';
import type { NodeUsage } from './pods/node-connector.ts';

/** Options for a control plane. */
export interface ControlPlaneOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  /** Private key that signs service account tokens, in PEM format. */
  readonly serviceAccountKey: string;
  /** More public keys or certificates (PEM) whose service account tokens are accepted. @defaultValue none */
  readonly serviceAccountKeys?: readonly string[] | undefined;
  /** Issuer of service account tokens. @defaultValue https://kubernetes.default.svc.cluster.local */
  readonly serviceAccountIssuer?: string | undefined;
  /** @defaultValue 'Node,RBAC' */
  readonly authorization?: 'Node,RBAC' | 'AlwaysAllow' | undefined;
  /** Users by static bearer token. */
  readonly tokens?: ReadonlyMap<string, UserInfo> | undefined;
  /** Subresources that connect to nodes, such as `pods/log` and `pods/exec`. */
  readonly connect?: ReadonlyMap<string, ConnectSubresource | ProxySubresource> | undefined;
  /** Returns the usage of containers on all nodes, for the group `metrics.k8s.io`. @defaultValue the group is not served */
  readonly usage?: (() => Promise<readonly NodeUsage[]>) | undefined;
  /** Allows loopback addresses as endpoints, because pods of the process driver use them. @defaultValue false */
  readonly allowLoopbackEndpoints?: boolean | undefined;
  /**
   * True if nodes run containers as processes. Warnings then name the pod fields that have no effect on processes.
   *
   * @defaultValue false
   */
  readonly processes?: boolean | undefined;
  /** True if NetworkPolicies are enforced. Suppresses the warning that they have no effect. @defaultValue false */
  readonly networkPolicies?: boolean | undefined;
  /** Range of service IPs, in CIDR notation. The prefix length must be a multiple of 8. @defaultValue '10.96.0.0/16' */
  readonly serviceCidr?: string | undefined;
  /** Opens connections to webhooks and aggregated API servers. @defaultValue uses this process's sockets */
  readonly dial?: NonNullable<ConstructorParameters<typeof HttpsWebhookCaller>[0]>['dial'];
  /** The identity with which the server forwards requests to aggregated API servers. @defaultValue none */
  readonly frontProxy?: FrontProxy | undefined;
  /** Names of built-in admission plugins to disable, as in `--disable-admission-plugins`. @defaultValue none */
  readonly disabledAdmissionPlugins?: readonly string[] | undefined;
  /** The default levels and the exemptions of pod security. @defaultValue only namespaces with labels are restricted */
  readonly podSecurity?: PodSecurityOptions | undefined;
  /** The audit log and its policy. @defaultValue no audit log */
  readonly auditLog?: ApiServerOptions['auditLog'];
  /** Limits on requests. */
  readonly limits?: ApiServerOptions['limits'];
  /** The client that calls webhooks. @defaultValue an HTTPS client */
  readonly webhookCaller?: WebhookCaller | undefined;
  /** Returns the `host:port` under which clients reach the server. Discovery publishes it. */
  readonly serverAddress: () => string;
  /** Called with internal errors of the server. */
  readonly onError: (error: unknown) => void;
}

/** The identity with which this server authenticates to aggregated API servers. */
export interface FrontProxy extends AuthenticationTrust {
  clientCertificate(): Promise<KeyPair>;
}
