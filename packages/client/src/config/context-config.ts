import { defined } from '@kubewright/apimachinery/internal';
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
    throw new ConfigError('KW2201', {
      what: `cannot use kubeconfig ${source}`,
      why: 'current-context is not set',
      remedy: chooseContext(kubeconfig),
    });
  }
  const context = kubeconfig.contexts.get(name);
  if (!context) {
    throw new ConfigError('KW2201', {
      what: `cannot use kubeconfig ${source}`,
      why: `context ${JSON.stringify(name)} does not exist`,
      remedy: chooseContext(kubeconfig),
    });
  }
  const where = `${source}, context ${JSON.stringify(name)}`;
  const cluster = kubeconfig.clusters.get(context.cluster);
  if (!cluster)
    throw new ConfigError('KW2201', {
      what: `cannot use kubeconfig ${where}`,
      why: `cluster ${JSON.stringify(context.cluster)} does not exist`,
    });
  const user = context.user === '' ? {} : kubeconfig.users.get(context.user);
  if (!user)
    throw new ConfigError('KW2201', {
      what: `cannot use kubeconfig ${where}`,
      why: `user ${JSON.stringify(context.user)} does not exist`,
    });
  const server = serverOf(cluster, { name: context.cluster, where });
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

function chooseContext({ contexts }: Kubeconfig): string {
  return contexts.size === 0
    ? 'add a context to the kubeconfig, which has none'
    : `choose a context of the kubeconfig: ${[...contexts.keys()].join(', ')}`;
}

function serverOf(cluster: ClusterEntry, { name, where }: { readonly name: string; readonly where: string }): string {
  if (cluster.server === undefined)
    throw new ConfigError('KW2202', {
      what: `cannot use kubeconfig ${where}`,
      why: `cluster ${JSON.stringify(name)} has no server`,
    });
  const server = cluster.server.includes('://') ? cluster.server : `https://${cluster.server}`;
  try {
    new URL(server);
  } catch (cause) {
    throw new ConfigError(
      'KW2202',
      { what: `cannot use kubeconfig ${where}`, why: `server ${JSON.stringify(cluster.server)} is not a valid URL` },
      { cause },
    );
  }
  return server;
}

async function trustOf(
  cluster: ClusterEntry,
  options: { readonly environment: ConfigEnvironment; readonly where: string },
): Promise<ServerTrust> {
  const { certificateAuthority: file, certificateAuthorityData: data } = cluster;
  if (cluster.insecureSkipTlsVerify && (file !== undefined || data !== undefined)) {
    throw new ConfigError('KW2202', {
      what: `cannot use kubeconfig ${options.where}`,
      why: 'the cluster sets both a certificate authority and insecure-skip-tls-verify',
      remedy: 'remove one of them',
    });
  }
  const ca =
    data !== undefined
      ? decode(data, { where: options.where, field: 'certificate-authority-data' })
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
    throw new ConfigError('KW2202', {
      what: `cannot use kubeconfig ${where}`,
      why: `auth-provider ${JSON.stringify(user.authProvider)} is not supported`,
      remedy: 'use an exec credential plugin',
    });
  }
  const hasToken = user.token !== undefined || user.tokenFile !== undefined;
  const hasBasic = user.username !== undefined || user.password !== undefined;
  if (hasToken && hasBasic) {
    throw new ConfigError('KW2202', {
      what: `cannot use kubeconfig ${where}`,
      why: 'the user has both a token and a username',
      remedy: 'remove one of them',
    });
  }
  // As in client-go, credentials in the kubeconfig take precedence over a plugin.
  if (user.exec && !hasToken && !hasBasic) {
    return new ExecCredentials({ exec: user.exec, cluster: execCluster(context), environment, onRenewalFailure });
  }
  const cert = pemSource(user.clientCertificateData, {
    file: user.clientCertificate,
    where,
    field: 'client-certificate-data',
  });
  const key = pemSource(user.clientKeyData, { file: user.clientKey, where, field: 'client-key-data' });
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError('KW2202', {
      what: `cannot use kubeconfig ${where}`,
      why: 'the user has a client certificate without a key, or a key without a certificate',
      remedy: 'set both the certificate and the key, or remove both',
    });
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
  options: { readonly file: string | undefined; readonly where: string; readonly field: string },
): FileOrValue | undefined {
  if (data !== undefined) return { value: decode(data, options) };
  return options.file === undefined ? undefined : { file: options.file };
}

/** Returns the cluster information for plugins that request it. */
function execCluster(context: CredentialContext): Readonly<Record<string, unknown>> {
  const { cluster, server, trust } = context;
  return {
    server,
    ...defined({
      'tls-server-name': trust.serverName,
      'certificate-authority-data': trust.ca && Buffer.from(trust.ca, 'utf8').toString('base64'),
      'proxy-url': cluster.proxyUrl,
      config: cluster.execConfig,
    }),
    ...(trust.insecureSkipVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(cluster.disableCompression ? { 'disable-compression': true } : {}),
  };
}

function decode(base64: string, { where, field }: { readonly where: string; readonly field: string }): string {
  const compact = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact))
    throw new ConfigError('KW2202', { what: `cannot use kubeconfig ${where}`, why: `${field} is not valid base64` });
  return Buffer.from(compact, 'base64').toString('utf8');
}
