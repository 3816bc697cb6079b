import type { UserInfo } from '@kubewright/apiserver';
import type { ControlPlaneOptions } from '../kube-apiserver/control-plane-options.ts';

/** Settings of an embedded cluster's API server. Each corresponds to a flag of kube-apiserver. */
export interface ServerSettings {
  /** Address to listen on (`--bind-address`). @defaultValue '127.0.0.1' */
  readonly host?: string | undefined;
  /** Address that the Service `kubernetes` points to (`--advertise-address`). @defaultValue the address to listen on */
  readonly advertiseAddress?: string | undefined;
  /** Serving certificate and key, in PEM format (`--tls-cert-file`). @defaultValue issued by the cluster's own CA */
  readonly serving?: { readonly certificate: string; readonly key: string } | undefined;
  /** CAs of further client certificates, in PEM format (`--client-ca-file`). @defaultValue only the cluster's own CA */
  readonly clientCa?: string | undefined;
  /** Static bearer tokens (`--token-auth-file`). @defaultValue none */
  readonly tokens?: ReadonlyMap<string, UserInfo> | undefined;
  /** Keys and issuer of service account tokens. @defaultValue the cluster's own */
  readonly serviceAccounts?: ServiceAccountSettings | undefined;
  /** IPv4 range of Services (`--service-cluster-ip-range`). @defaultValue '10.96.0.0/16' */
  readonly serviceCidr?: string | undefined;
  /** `AlwaysAllow` permits every request (`--authorization-mode`). @defaultValue 'Node,RBAC' */
  readonly authorization?: 'Node,RBAC' | 'AlwaysAllow' | undefined;
  /** Admission plugins that do not run (`--disable-admission-plugins`). @defaultValue none */
  readonly disabledAdmissionPlugins?: readonly string[] | undefined;
  /** The audit policy, as a JSON value, and where events go (`--audit-policy-file`, `--audit-log-path`). @defaultValue no audit log */
  readonly auditLog?: ControlPlaneOptions['auditLog'];
}

/** Keys and issuer of service account tokens. */
export interface ServiceAccountSettings {
  /** Private key that signs tokens, in PEM format (`--service-account-signing-key-file`). */
  readonly signingKey?: string | undefined;
  /** Public keys or certificates whose tokens are accepted, in PEM format (`--service-account-key-file`). */
  readonly keys?: readonly string[] | undefined;
  /** Issuer of tokens (`--service-account-issuer`). */
  readonly issuer?: string | undefined;
}

/** Converts server settings to options of the control plane. */
export function controlPlaneSettings(
  server: ServerSettings,
  own: { readonly serviceAccountKey: string },
): Pick<
  ControlPlaneOptions,
  'serviceAccountKey' | 'serviceAccountKeys' | 'serviceAccountIssuer' | 'tokens' | 'authorization' | 'auditLog'
> {
  const { serviceAccounts = {}, tokens, authorization, auditLog } = server;
  return {
    serviceAccountKey: serviceAccounts.signingKey ?? own.serviceAccountKey,
    serviceAccountKeys: serviceAccounts.keys,
    serviceAccountIssuer: serviceAccounts.issuer,
    tokens,
    authorization,
    auditLog,
  };
}
