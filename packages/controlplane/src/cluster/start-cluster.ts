import { resolve } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import type { HttpServer, Storage } from '@kubewright/apiserver';
import { CertificateStore } from '@kubewright/apiserver/internal';
import type { BuiltInControllerFactory } from '../controllers/index.ts';
import type { ControlPlane } from '../kube-apiserver/control-plane.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { ClusterClients } from './cluster-clients.ts';
import { clusterControlPlane } from './cluster-control-plane.ts';
import { listen } from './cluster-listener.ts';
import { ClusterNetwork } from './cluster-network.ts';
import type { ClusterNode } from './cluster-nodes.ts';
import { ClusterVolumes } from './cluster-volumes.ts';
import { ComponentSelection } from './component-selection.ts';
import type { Components } from './components.ts';
import { containedClock } from './contained-clock.ts';
import {
  type CompleteOptions,
  type EmbeddedClusterOptions,
  nodesOf,
  podNetworkOf,
} from './embedded-cluster-options.ts';
import { adminIdentity, controllerManagerIdentity } from './identities.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { MultiNodeConnector } from './multi-node-connector.ts';
import type { NodeLink } from './node-link.ts';
import { openStorage } from './open-storage.ts';
import type { ServiceAccountLogin } from './service-account-login.ts';
import { furtherComponents, startComponents } from './start-components.ts';
import { notesIn, StateDirectory } from './state-directory.ts';
import { defaultStopMs, type StoppableParts, stopCluster } from './stop-cluster.ts';
import type * as Workers from './workers.ts';

/** The parts of a running cluster. */
export interface ClusterParts extends StartingParts {
  readonly storage: Storage;
  readonly plane: ControlPlane;
  readonly http: HttpServer;
  readonly certificates: CertificateStore;
  readonly clients: ClusterClients;
  readonly takenPort: number | undefined;
}

/** The parts of a cluster that is starting. */
interface StartingParts extends StoppableParts {
  storage?: Storage;
  plane?: ControlPlane;
  http?: HttpServer;
  components?: Components;
  readonly logins: ServiceAccountLogin[];
  readonly connector: MultiNodeConnector;
  readonly nodes: Map<string, ClusterNode>;
}

/**
 * Starts a cluster: network, storage and server, then its components and nodes. Resolves once it serves requests and accepts pods;
 * if a part fails to start, all others are stopped.
 */
export async function startCluster(options: EmbeddedClusterOptions): Promise<ClusterParts> {
  const { clock = systemClock, random = systemRandom, data } = options;
  const selection = new ComponentSelection(options.components ?? ['*']);
  const directory = StateDirectory.open(options);
  let network: ClusterNetwork | undefined;
  try {
    // Load the runtime, which contains the logger, only if needed.
    const log = options.log ?? (await import('./workers.ts')).silentLogger;
    const settings = podNetworkOf(options, selection);
    // Keep the notes in the objects' folder: the objects depend on the notes, and the state folder may be removed.
    const notes = data === undefined ? directory : notesIn(resolve(data));
    network = await ClusterNetwork.open({ notes, clock, random, log, ...settings });
    return await startIn(directory, { ...options, clock, random, log, selection, network });
  } catch (error) {
    await network?.[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
    throw error;
  }
}

async function startIn(directory: StateDirectory, options: CompleteOptions): Promise<ClusterParts> {
  const { random, log, network, data } = options;
  const volumes = new ClusterVolumes({ random, log, hasProcesses: network.isRouted, data });
  const starting: StartingParts = {
    directory,
    options,
    volumes,
    logins: [],
    connector: new MultiNodeConnector(),
    nodes: new Map(),
  };
  try {
    const parts = await serve(starting);
    await writeAdminKubeconfig(parts);
    await parts.plane.publish();
    await startWorkers(parts);
    return parts;
  } catch (error) {
    await stopCluster(starting, defaultStopMs);
    throw error;
  }
}

/**
 * Opens the storage and starts the server. Adds each part to `starting` as soon as it needs to be stopped on failure.
 */
async function serve(starting: StartingParts): Promise<ClusterParts> {
  const { directory, options, connector } = starting;
  const { random, log, network, server = {} } = options;
  const clock = containedClock(options.clock, (error) =>
    log.error('timer callback failed in the API server', { event: clusterLogEvents.timerFailed, error }),
  );
  const onError = (error: unknown): void =>
    log.error('API server error', { event: clusterLogEvents.apiServerFailed, error });
  const onWatcherFault = (error: unknown): void =>
    log.error('storage watcher failed', { event: clusterLogEvents.storageWatcherFailed, error });
  const folder = directory.file('certificates');
  const certificates = await CertificateStore.open({ folder, clock, hosts: network.serverHosts });
  const { data, etcdServers, snapshot, limits } = options;
  const maxBytes = limits?.storageBytes;
  const from = { data, etcdServers, snapshot };
  const storage = await openStorage(directory, { clock, ...from, maxBytes, onWatcherFault });
  starting.storage = storage;
  const address = { text: '' };
  const serverAddress = (): string => address.text;
  const own = { storage, clock, certificates, connector, serverAddress, onError };
  const plane = clusterControlPlane(options, own);
  starting.plane = plane;
  await plane.start();
  const { http, takenPort } = await listen(directory, { options, plane, certificates, onError });
  address.text = `${server.advertiseAddress ?? new URL(http.url).hostname}:${http.port}`;
  const clients = new ClusterClients({ handle: plane.handle, clock, random });
  return Object.assign(starting, { storage, plane, http, takenPort, certificates, clients });
}

/** Starts controllers and nodes. */
async function startWorkers(parts: ClusterParts): Promise<void> {
  const { options, plane, certificates, clients } = parts;
  const { selection, clock } = options;
  // Load the rest of the program (a quarter of the code) only now, so the first clients do not wait for it.
  const workers = await import('./workers.ts');
  const controllers = workers.builtInControllers({
    ca: trustOf(parts),
    signer: certificates.clientSigner,
    issueToken: (token) => plane.issueLegacyToken(token),
  });
  const names = controllers.filter(({ actsAsServer }) => !actsAsServer).map(({ name }) => name);
  selection.check([...names, ...furtherComponents]);
  const selected = controllers.filter(({ name, actsAsServer }) => actsAsServer || selection.includes(name));
  // Wait for both even if one fails: a node that is still starting cannot be stopped.
  const started = await Promise.allSettled([
    startControllers(parts, { workers, controllers: selected }),
    startNodes(parts, { workers, controllers: selected }),
  ]);
  for (const result of started) if (result.status === 'rejected') throw result.reason;
  if (selection.includes('serviceaccount-controller'))
    await workers.defaultAccountExists(clients.as(adminIdentity), clock);
}

/** Returns the certificate that clients must trust to connect to the server, in PEM format. */
export function trustOf({ options, certificates }: ClusterParts): string {
  return options.server?.serving?.certificate ?? certificates.ca;
}

async function writeAdminKubeconfig(parts: ClusterParts): Promise<void> {
  const { certificates, directory, http } = parts;
  const { certificate, key } = await certificates.clientCertificate('admin', adminIdentity);
  writeKubeconfig(directory.file('kubeconfig'), {
    server: http.url,
    ca: trustOf(parts),
    user: { name: adminIdentity.commonName, certificate, key },
  });
}

async function startControllers(parts: ClusterParts, { workers, controllers }: Selected): Promise<void> {
  const { options, clients, volumes } = parts;
  const { clock, random, log } = options;
  const components = new workers.Components({ clock, random, log, reader: clients.as(controllerManagerIdentity) });
  parts.components = components;
  await startComponents(components, { workers, controllers, clients, options, volumes });
}

async function startNodes(parts: ClusterParts, { workers, controllers }: Selected): Promise<void> {
  const { options, directory, clients, connector, nodes, volumes, http } = parts;
  const { clock, random, log, selection, network } = options;
  const settings = nodesOf(options, selection);
  if (settings === undefined) return;
  const nodeParts = {
    settings,
    volumeRoot: volumes.root,
    controlPlane: controlPlanePods(selection, controllers),
    client: (name: string, link: NodeLink) => clients.forNode(name, link),
    directory: (name: string) => directory.file(name === 'kubewright' ? 'node' : name),
    apiServer: { url: http.url, ca: trustOf(parts) },
    network: (index: number) => network.forNode(index),
    clock,
    random,
    log: log.named('node'),
  };
  await workers.startNodes(nodeParts, (node) => {
    nodes.set(node.name, node);
    connector.targets.set(node.name, node.connector);
  });
}

/** The modules and the built-in controllers that a cluster runs. */
interface Selected {
  readonly workers: typeof Workers;
  readonly controllers: readonly BuiltInControllerFactory[];
}

/** Returns the parts of the control plane that nodes show as static pods. There is no etcd: state is kept in the process. */
function controlPlanePods(
  selection: ComponentSelection,
  controllers: readonly BuiltInControllerFactory[],
): readonly string[] {
  const manager = controllers.some(({ actsAsServer }) => !actsAsServer) ? ['kube-controller-manager'] : [];
  return ['kube-apiserver', ...manager, ...(selection.includes('scheduler') ? ['kube-scheduler'] : [])];
}
