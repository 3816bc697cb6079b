import { join, win32 } from 'node:path';
import type { ClientConfig } from './client-config.ts';
import { type ConfigEnvironment, processEnvironment } from './config-environment.ts';
import { ConfigError } from './config-error.ts';
import { configOfContext } from './context-config.ts';
import { unreadable } from './file-credentials.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import { type Kubeconfig, mergeKubeconfigs } from './kubeconfig.ts';

/** Options for {@link loadClientConfig}. */
interface LoadConfigOptions {
  /** Path of a kubeconfig that must exist; no other source is read. Programs set it from `--kubeconfig`. */
  readonly kubeconfig?: string | undefined;
  /** @defaultValue the kubeconfig's `current-context` */
  readonly context?: string | undefined;
  /** Namespace of calls that set none. @defaultValue the namespace of the context or the pod, or `default` */
  readonly namespace?: string | undefined;
  /** The files, environment variables and programs to use. @defaultValue the environment of this process */
  readonly environment?: ConfigEnvironment;
  /**
   * Called if credentials cannot be renewed and the previous credentials stay in use: a credential plugin failed, or a file cannot
   * be read. Programs should log the error.
   * @defaultValue nothing is reported until the credentials expire
   */
  readonly onRenewalFailure?: (error: ConfigError) => void;
}

/**
 * Loads the configuration for one API server and user.
 *
 * Reads, in the same order as controller-runtime: an explicit path; `KUBECONFIG` (a list that is merged; the first definition
 * wins, missing files are skipped); the pod's service account; `~/.kube/config`.
 * @throws ConfigError `KW2201` if no configuration is found, `KW2202` if a file is unreadable or malformed.
 */
export async function loadClientConfig(options: LoadConfigOptions = {}): Promise<ClientConfig> {
  const environment = options.environment ?? processEnvironment();
  const { kubeconfig, context, onRenewalFailure } = options;
  const withNamespace = (config: ClientConfig): ClientConfig =>
    options.namespace === undefined ? config : { ...config, namespace: options.namespace };
  if (kubeconfig !== undefined && kubeconfig !== '') {
    const config = await readKubeconfig(kubeconfig, environment);
    if (!config)
      throw new ConfigError('KW2201', { what: `cannot read kubeconfig ${kubeconfig}`, why: 'file not found' });
    return withNamespace(await configOfContext(config, { context, environment, onRenewalFailure, source: kubeconfig }));
  }
  const listed = environment.env['KUBECONFIG'];
  if (listed) {
    const files = [...new Set(listed.split(environment.platform === 'win32' ? win32.delimiter : ':'))].filter(Boolean);
    const read = await Promise.all(files.map((file) => readKubeconfig(file, environment)));
    const found = read.filter((config) => config !== undefined);
    if (found.length === 0)
      throw new ConfigError('KW2201', {
        what: `cannot read kubeconfig ${listed} (from KUBECONFIG)`,
        why: files.length > 1 ? 'none of the files exists' : 'file not found',
      });
    const merged = mergeKubeconfigs(found);
    return withNamespace(await configOfContext(merged, { context, environment, onRenewalFailure, source: listed }));
  }
  const inCluster = context === undefined ? await inClusterConfig(environment, onRenewalFailure) : undefined;
  if (inCluster) return withNamespace(inCluster);
  const { homeDirectory } = environment;
  const home = homeDirectory === undefined ? undefined : join(homeDirectory, '.kube', 'config');
  const config = home === undefined ? undefined : await readKubeconfig(home, environment);
  if (home === undefined || !config) {
    throw new ConfigError('KW2201', {
      what: 'no cluster is configured',
      why: `--kubeconfig and KUBECONFIG are not set, ${home ?? '~/.kube/config'} does not exist, and this process does not run in a pod`,
    });
  }
  return withNamespace(await configOfContext(config, { context, environment, onRenewalFailure, source: home }));
}

async function readKubeconfig(file: string, environment: ConfigEnvironment): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await environment.readFile(file);
  } catch (cause) {
    if ((cause as { readonly code?: unknown } | null)?.code === 'ENOENT') return undefined;
    throw unreadable(file, cause);
  }
  // The parser and its YAML library are loaded only if the file exists, because pods usually have no kubeconfig.
  const { parseKubeconfig } = await import('./parse-kubeconfig.ts');
  return parseKubeconfig(text, file);
}
