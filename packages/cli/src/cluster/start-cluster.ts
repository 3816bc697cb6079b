import { join, resolve } from 'node:path';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { prettyLogger } from '@kubewright/runtime';
import type { CliEnvironment } from '../program/cli-environment.ts';
import { openAuditLog } from './audit-log.ts';
import { cliLogEvents } from './cli-log-events.ts';
import type { StateFolder } from './state-folder.ts';

/** Settings of a cluster that the command line starts. */
export interface ClusterSettings {
  readonly port?: number | undefined;
  /** Folder that stores the objects. @defaultValue in memory */
  readonly data?: string | undefined;
  /** URLs of etcd's servers, separated by commas. @defaultValue no etcd */
  readonly etcdServers?: string | undefined;
  /** @defaultValue 1 */
  readonly nodes?: number | undefined;
  /** The driver that runs containers. @defaultValue 'process' */
  readonly driver?: 'process' | 'container' | 'simulated' | undefined;
  /** Network of pods that run on this machine. @defaultValue 'loopback' */
  readonly network?: 'loopback' | 'isolated' | undefined;
  readonly allowRootPods?: boolean | undefined;
  readonly allowHostPrograms?: boolean | undefined;
  readonly allowHostPath?: boolean | undefined;
  /** Policy of the audit log: a file with a `Policy` of audit.k8s.io/v1. @defaultValue no audit log */
  readonly auditPolicyFile?: string | undefined;
  /** @defaultValue `audit.log` in the folder of the cluster's state */
  readonly auditLogPath?: string | undefined;
  /** The components to run, such as `*,-scheduler`. @defaultValue the variable `KUBEWRIGHT_COMPONENTS`, otherwise `*` */
  readonly components?: string | undefined;
}

/** Starts the cluster of a folder in this process; its warnings and errors go to standard error. */
export async function startCluster(
  environment: CliEnvironment,
  { folder, settings }: { readonly folder: StateFolder; readonly settings: ClusterSettings },
): Promise<EmbeddedCluster> {
  const { clock, random, stderr, env } = environment;
  const { port, nodes, driver, network, allowRootPods, allowHostPrograms, allowHostPath } = settings;
  const destination = { write: (line: string) => void stderr.write(line) };
  const log = prettyLogger({ destination, now: () => clock.now(), level: 'warn', colors: false });
  environment.reportUncaught?.((error) =>
    log.error('unhandled error in a cluster component', { event: cliLogEvents.errorUnhandled, error }),
  );
  const auditLog =
    settings.auditPolicyFile === undefined
      ? undefined
      : openAuditLog({
          policyFile: resolve(environment.cwd, settings.auditPolicyFile),
          logFile: resolve(environment.cwd, settings.auditLogPath ?? join(folder.path, 'audit.log')),
          onError: (error) =>
            log.error('cannot write to the audit log', { event: cliLogEvents.auditNotWritten, error }),
        });
  const cluster = await EmbeddedCluster.start({
    directory: folder.path,
    data: settings.data === undefined ? undefined : resolve(environment.cwd, settings.data),
    etcdServers: settings.etcdServers?.split(','),
    port,
    clock,
    random,
    log,
    server: { auditLog },
    components: (settings.components ?? (env['KUBEWRIGHT_COMPONENTS'] || undefined))?.split(','),
    node: {
      imageFile: folder.imageFile,
      count: nodes,
      driver,
      network,
      allowRootPods,
      allowHostPrograms,
      allowHostPath,
      env,
    },
  });
  folder.note({ pid: process.pid, url: cluster.url, kubeconfig: cluster.kubeconfig });
  return cluster;
}
