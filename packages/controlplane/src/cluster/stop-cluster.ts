import type { HttpServer, Storage } from '@kubewright/apiserver';
import type { Logger } from '@kubewright/runtime';
import type { ControlPlane } from '../kube-apiserver/control-plane.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { Deadline } from '../node/deadline.ts';
import type { ClusterNode } from './cluster-nodes.ts';
import type { ClusterVolumes } from './cluster-volumes.ts';
import type { Components } from './components.ts';
import type { CompleteOptions } from './embedded-cluster-options.ts';
import { noteLastRevision } from './first-revision.ts';
import type { ServiceAccountLogin } from './service-account-login.ts';
import type { StateDirectory } from './state-directory.ts';

/** Default time limit for stopping, in milliseconds. */
export const defaultStopMs = 4_000;
/** Part of the time limit reserved for the server after nodes and components have stopped, in milliseconds. */
const serverStopMs = 700;

/** The parts of a cluster that have to be stopped. If the cluster failed to start, some parts do not exist. */
export interface StoppableParts {
  readonly options: CompleteOptions;
  readonly directory: StateDirectory;
  readonly storage?: Storage;
  readonly plane?: ControlPlane;
  readonly http?: HttpServer;
  readonly logins: readonly ServiceAccountLogin[];
  readonly components?: Components;
  readonly volumes: ClusterVolumes;
  readonly nodes: ReadonlyMap<string, ClusterNode>;
}

/**
 * Stops the parts of a cluster in order, within one shared time limit: nodes and components, listener, server, storage, network. A
 * part that fails or hangs does not prevent the others from stopping.
 */
export async function stopCluster(parts: StoppableParts, withinMs: number): Promise<void> {
  const { components, nodes, logins, http, plane, storage, volumes, directory, options } = parts;
  const { clock, log, network } = options;
  const deadline = new Deadline(clock, withinMs);
  const end = (part: string, inTime: Promise<boolean>): Promise<void> => ended(part, { inTime, log });
  for (const login of logins) login[Symbol.dispose]();
  try {
    const clients = [
      ...[...nodes.values()].map((node) => node.stop({ withinMs: Math.max(withinMs - serverStopMs, 0) })),
      components?.[Symbol.asyncDispose](),
    ];
    await end('nodes and components', deadline.meets(Promise.all(clients), { reserveMs: serverStopMs }));
    if (http) await end('listener', deadline.meets(http.close({ graceMs: Math.min(500, deadline.leftMs / 2) })));
    if (plane) await end('server', deadline.meets(plane[Symbol.asyncDispose]()));
    if (storage) {
      await noteRevision(parts, storage);
      await end('storage', deadline.meets(Promise.resolve(storage[Symbol.asyncDispose]())));
    }
    await end('network', deadline.meets(network[Symbol.asyncDispose]()));
    volumes[Symbol.dispose]();
  } finally {
    directory[Symbol.dispose]();
  }
}

/** Saves the last revision. A full disk must not prevent the release of the folder. */
async function noteRevision({ directory, options }: StoppableParts, storage: Storage): Promise<void> {
  try {
    noteLastRevision(directory, await storage.revision());
  } catch (error) {
    options.log.warn('cannot save the last revision; existing watches may miss the restart of the cluster', {
      event: clusterLogEvents.revisionNotSaved,
      error,
    });
  }
}

/** Waits for a part to stop. A part that fails or hangs must not prevent the others from stopping. */
async function ended(
  part: string,
  { inTime, log }: { readonly inTime: Promise<boolean>; readonly log: Logger },
): Promise<void> {
  try {
    if (!(await inTime))
      log.warn('timed out stopping a part of the cluster', { event: clusterLogEvents.clusterStopLate, part });
  } catch (error) {
    log.error('failed to stop a part of the cluster', { event: clusterLogEvents.clusterStopFailed, part, error });
  }
}
