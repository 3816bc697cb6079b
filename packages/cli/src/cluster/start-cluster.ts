import { EmbeddedCluster } from '@kubewright/controlplane';
import { prettyLogger } from '@kubewright/runtime';
import type { CliEnvironment } from '../program/cli-environment.ts';
import type { StateFolder } from './state-folder.ts';

/** Settings of a cluster that the command line starts. */
export interface ClusterSettings {
  readonly port?: number | undefined;
  /** @defaultValue 1 */
  readonly nodes?: number | undefined;
  /** How containers run. @defaultValue 'process' */
  readonly driver?: 'process' | 'simulated' | undefined;
  readonly allowRootPods?: boolean | undefined;
  readonly allowHostPrograms?: boolean | undefined;
}

/** Starts the cluster of a folder in this process; its warnings and errors go to standard error. */
export async function startCluster(
  surroundings: CliEnvironment,
  { folder, settings }: { readonly folder: StateFolder; readonly settings: ClusterSettings },
): Promise<EmbeddedCluster> {
  const { clock, random, stderr, env } = surroundings;
  const { port, nodes, driver, allowRootPods, allowHostPrograms } = settings;
  const destination = { write: (line: string) => void stderr.write(line) };
  const log = prettyLogger({ destination, now: () => clock.now(), level: 'warn', colors: false });
  surroundings.reportUncaught?.((error) => log.error('unhandled error in a cluster component', { error }));
  const cluster = await EmbeddedCluster.start({
    directory: folder.path,
    port,
    clock,
    random,
    log,
    node: { imageFile: folder.imageFile, count: nodes, driver, allowRootPods, allowHostPrograms, env },
  });
  folder.note({ pid: process.pid, url: cluster.url, kubeconfig: cluster.kubeconfig });
  return cluster;
}
