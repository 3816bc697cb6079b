import type { ClientConfig } from './client-config.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import type { ConfigError } from './config-error.ts';
import { FileCredentials, unreadable } from './file-credentials.ts';

const mount = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Returns the configuration provided to a pod: its service account's token, which rotates, the cluster's CA and the pod's
 * namespace. Returns undefined if this process does not run in a pod with a service account.
 */
export async function inClusterConfig(
  environment: ConfigEnvironment,
  onRenewalFailure?: (error: ConfigError) => void,
): Promise<ClientConfig | undefined> {
  const host = environment.env['KUBERNETES_SERVICE_HOST'];
  const port = environment.env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) return undefined;
  const read = async (name: string): Promise<string | undefined> => {
    const file = `${mount}/${name}`;
    try {
      return await environment.readFile(file);
    } catch (cause) {
      // A missing file means that the pod does not mount it. Any other error must not cause a fallback to another
      // configuration.
      if (isMissing(cause)) return undefined;
      throw unreadable(file, cause);
    }
  };
  if ((await read('token')) === undefined) return undefined;
  const ca = await read('ca.crt');
  const namespace = environment.env['POD_NAMESPACE'] || (await read('namespace'))?.trim();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace || 'default',
    trust: ca === undefined ? {} : { ca },
    credentials: new FileCredentials({ environment, token: { file: `${mount}/token` }, onRenewalFailure }),
    headers: {},
    source: 'in-cluster',
  };
}

function isMissing(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
