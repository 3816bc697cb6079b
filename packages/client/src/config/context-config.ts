import type { CredentialProvider } from '../transport/credentials.ts';
import type { ServerTrust } from '../transport/http/http-options.ts';
import type { ClientConfig } from './client-config.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { ConfigError } from './config-error.ts';
import { ExecCredentials } from './exec-credentials.ts';
import { FileCredentials, type FileOrValue, unreadable } from './file-credentials.ts';
import { impersonationHeaders } from './impersonation-headers.ts';
import type { ClusterEntry, Kubeconfig, UserEntry } from './kubeconfig.ts';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

/** Creates a configuration from one context of a kubeconfig. */
export async function configOfContext(
  kubeconfig: Kubeconfig,
  options: {
    readonly context: string | undefined;
    readonly environment: ConfigEnvironment;
    readonly source: string;
    readonly onRenewalFailure?: ((error: ConfigError) => void) | undefined;
  },
): Promise<ClientConfig> {
  const { environment, source, onRenewalFailure } = options;
  const name = options.context || kubeconfig.currentContext;
  if (name === undefined) {
    throw new ConfigError(
      'KW2201',
      `${source}: no current-context is set; ${choices('contexts', kubeconfig.contexts)}`,
    );
  }
  const context = kubeconfig.contexts.get(name);
  if (!context) {
    throw new ConfigError(
      'KW2201',
      `${source}: there is no context ${JSON.stringify(name)}; ${choices('contexts', kubeconfig.contexts)}`,
    );
  }
  const where = `${source}: context ${JSON.stringify(name)}`;
  const cluster = kubeconfig.clusters.get(context.cluster);
  if (!cluster) throw new ConfigError('KW2201', `${where}: there is no cluster ${JSON.stringify(context.cluster)}`);
  const user = context.user === '' ? {} : kubeconfig.users.get(context.user);
  if (!user) throw new ConfigError('KW2201', `${where}: there is no user ${JSON.stringify(context.user)}`);
  const server = serverOf(cluster, where);
  const trust = await trustOf(cluster, { environment, where });
  return {
    server,
    namespace: context.namespace ?? 'default',
    trust,
    credentials: credentialsOf(user, { cluster, server, trust, environment, where, onRenewalFailure }),
    headers: impersonationHeaders(user.impersonate),
    proxyUrl: cluster.proxyUrl ?? proxyFromEnvironment(server, environment.env),
    ...(cluster.disableCompression ? { compression: false } : {}),
    source: where,
  };
}

function choices(what: string, entries: ReadonlyMap<string, unknown>): string {
  return entries.size === 0 ? `it has no ${what}` : `its ${what} are ${[...entries.keys()].join(', ')}`;
}

function serverOf(cluster: ClusterEntry, where: string): string {
  if (cluster.server === undefined) throw new ConfigError('KW2202', `${where}: the cluster has no server`);
  const server = cluster.server.includes('://') ? cluster.server : `https://${cluster.server}`;
  try {
    new URL(server);
  } catch (cause) {
    throw new ConfigError('KW2202', `${where}: server ${JSON.stringify(cluster.server)} is no address`, { cause });
  }
  return server;
}

async function trustOf(
  cluster: ClusterEntry,
  options: { readonly environment: ConfigEnvironment; readonly where: string },
): Promise<ServerTrust> {
  const { certificateAuthority: file, certificateAuthorityData: data } = cluster;
  if (cluster.insecureSkipTlsVerify && (file !== undefined || data !== undefined)) {
    const message = `${options.where}: a certificate authority and insecure-skip-tls-verify exclude each other`;
    throw new ConfigError('KW2202', message);
  }
  const ca =
    data !== undefined
      ? decode(data, `${options.where}: certificate-authority-data`)
      : file === undefined
        ? undefined
        : await options.environment.readFile(file).catch((cause: unknown) => {
            throw unreadable(file, cause);
          });
  return { ca, serverName: cluster.tlsServerName, insecureSkipVerify: cluster.insecureSkipTlsVerify };
}

interface CredentialContext {
  readonly cluster: ClusterEntry;
  readonly server: string;
  readonly trust: ServerTrust;
  readonly environment: ConfigEnvironment;
  readonly where: string;
  readonly onRenewalFailure: ((error: ConfigError) => void) | undefined;
}

function credentialsOf(user: UserEntry, context: CredentialContext): CredentialProvider {
  const { environment, where, onRenewalFailure } = context;
  if (user.authProvider !== undefined) {
    const message = `${where}: auth-provider ${JSON.stringify(user.authProvider)} was removed from Kubernetes; use an exec plugin`;
    throw new ConfigError('KW2202', message);
  }
  const hasToken = user.token !== undefined || user.tokenFile !== undefined;
  const hasBasic = user.username !== undefined || user.password !== undefined;
  if (hasToken && hasBasic) {
    throw new ConfigError('KW2202', `${where}: the user has both a token and a user name; only one can be sent`);
  }
  // As in client-go, credentials in the file take precedence over a plugin.
  if (user.exec && !hasToken && !hasBasic) {
    return new ExecCredentials({ exec: user.exec, cluster: execCluster(context), environment, onRenewalFailure });
  }
  const cert = pemSource(user.clientCertificateData, {
    file: user.clientCertificate,
    what: `${where}: client-certificate-data`,
  });
  const key = pemSource(user.clientKeyData, { file: user.clientKey, what: `${where}: client-key-data` });
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError(
      'KW2202',
      `${where}: the user has a client certificate without key, or a key without certificate`,
    );
  }
  return new FileCredentials({
    environment,
    token: hasToken ? { value: user.token, file: user.tokenFile } : undefined,
    basic: hasBasic
      ? Buffer.from(`${user.username ?? ''}:${user.password ?? ''}`, 'utf8').toString('base64')
      : undefined,
    cert,
    key,
    onRenewalFailure,
  });
}

function pemSource(
  data: string | undefined,
  options: { readonly file: string | undefined; readonly what: string },
): FileOrValue | undefined {
  if (data !== undefined) return { value: decode(data, options.what) };
  return options.file === undefined ? undefined : { file: options.file };
}

/** The cluster information for plugins that request it. */
function execCluster(context: CredentialContext): Readonly<Record<string, unknown>> {
  const { cluster, server, trust } = context;
  return {
    server,
    ...(trust.serverName === undefined ? {} : { 'tls-server-name': trust.serverName }),
    ...(trust.insecureSkipVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(trust.ca === undefined
      ? {}
      : { 'certificate-authority-data': Buffer.from(trust.ca, 'utf8').toString('base64') }),
    ...(cluster.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
    ...(cluster.disableCompression ? { 'disable-compression': true } : {}),
    ...(cluster.execConfig === undefined ? {} : { config: cluster.execConfig }),
  };
}

function decode(base64: string, what: string): string {
  const compact = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw new ConfigError('KW2202', `${what} is not base64`);
  return Buffer.from(compact, 'base64').toString('utf8');
}
