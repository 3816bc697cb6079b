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
  /** Private key (PEM) that signs service-account tokens. */
  readonly serviceAccountKey: string;
  /** Further public keys or certificates (PEM) whose service-account tokens are accepted. @defaultValue none */
  readonly serviceAccountKeys?: readonly string[] | undefined;
  /** Issuer of service-account tokens. @defaultValue https://kubernetes.default.svc.cluster.local */
  readonly serviceAccountIssuer?: string | undefined;
  /** @defaultValue 'Node,RBAC' */
  readonly authorization?: 'Node,RBAC' | 'AlwaysAllow' | undefined;
  /** Static bearer tokens. */
  readonly tokens?: ReadonlyMap<string, UserInfo> | undefined;
  /** Subresources that connect to nodes, such as `pods/log` and `pods/exec`. */
  readonly connect?: ReadonlyMap<string, ConnectSubresource | ProxySubresource> | undefined;
  /** Requests the usage of containers from all nodes, which `metrics.k8s.io` then serves. @defaultValue that group is not served */
  readonly usage?: (() => Promise<readonly NodeUsage[]>) | undefined;
  /** Allows loopback addresses as endpoints, which pods of the process driver use. @defaultValue false */
  readonly allowLoopbackEndpoints?: boolean | undefined;
  /** True if nodes run containers as processes, so that warnings name the fields that those ignore. @defaultValue false */
  readonly processes?: boolean | undefined;
  /** True if NetworkPolicies are enforced, so that no warning says that they are not. @defaultValue false */
  readonly networkPolicies?: boolean | undefined;
  /** Range of service IPs in CIDR notation; ends at a byte. @defaultValue '10.96.0.0/16' */
  readonly serviceCidr?: string | undefined;
  /** Opens connections to webhooks and other API servers. @defaultValue this process's own sockets */
  readonly dial?: NonNullable<ConstructorParameters<typeof HttpsWebhookCaller>[0]>['dial'];
  /** Identity used when the server proxies requests to other servers. @defaultValue none */
  readonly frontProxy?: FrontProxy | undefined;
  /** Names of built-in admission plugins that do not run, as `--disable-admission-plugins`. @defaultValue none */
  readonly disabledAdmissionPlugins?: readonly string[] | undefined;
  /** The default levels of pod security, and exemptions. @defaultValue everything is allowed unless namespaces have labels */
  readonly podSecurity?: PodSecurityOptions | undefined;
  /** Writes audit events by a policy. @defaultValue no audit log */
  readonly auditLog?: ApiServerOptions['auditLog'];
  /** Limits on requests. */
  readonly limits?: ApiServerOptions['limits'];
  /** Calls webhooks. @defaultValue over HTTPS */
  readonly webhookCaller?: WebhookCaller | undefined;
  /** Returns `host:port` under which clients reach the server, for discovery. */
  readonly serverAddress: () => string;
  /** Called with the server's own internal errors. */
  readonly onError: (error: unknown) => void;
}

/** Data with which aggregated API servers authenticate this server. */
export interface FrontProxy extends AuthenticationTrust {
  clientCertificate(): Promise<KeyPair>;
}
