import type { Identity } from '../../cluster/identities.ts';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { jsonLogger, Manager, silentLogger } from '@kubewright/runtime';
import { ControlPlane } from '../../kube-apiserver/control-plane.ts';
import { adminIdentity, nodeIdentity } from '../../cluster/identities.ts';
import { MemoryStorage, type ConnectSubresource } from '@kubewright/apiserver';
import { LocalVolumeFolders } from '../../cluster/local-volume-folders.ts';
import { installLocalVolumes, volumeProvisioner } from '../../controllers/local-volumes/index.ts';
import { nodeLifecycleController } from '../../controllers/node-lifecycle/node-lifecycle.ts';
import { volumeBinder } from '../../controllers/volume-binder/volume-binder.ts';
import { schedulerController } from '../../scheduler/index.ts';
import { type ProcessNode, type ProcessNodeOptions, processNode } from '../process-node.ts';
import type { NodeConnector } from '../../kube-apiserver/pods/node-connector.ts';

/** A control plane with a scheduler and one process node, for tests. */
export interface NodeCluster extends AsyncDisposable {
  readonly admin: KubernetesClient;
  readonly node: ProcessNode;
  readonly plane: ControlPlane;
}

export async function startNodeCluster(
  connect?: (connector: () => NodeConnector) => ReadonlyMap<string, ConnectSubresource>,
  settings: Partial<ProcessNodeOptions> = {},
): Promise<NodeCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'kw-node-'));
  // Reachable for the users of containers, unlike the folder above.
  const volumeRoot = mkdtempSync(join(tmpdir(), 'kw-data-'));
  chmodSync(volumeRoot, 0o711);
  const clock = systemClock;
  const random = systemRandom;
  const storage = new MemoryStorage({ clock });
  const errors: unknown[] = [];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const late: { node?: ProcessNode } = {};
  const connector = (): NodeConnector => {
    if (!late.node) throw new Error('no node yet');
    return late.node.connector;
  };
  const plane = new ControlPlane({
    storage,
    clock,
    random,
    serviceAccountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    allowLoopbackEndpoints: true,
    serverAddress: () => '127.0.0.1:6443',
    connect: connect?.(connector),
    onError: (error) => errors.push(error),
  });
  await plane.start();
  const client = (identity: Identity): KubernetesClient => {
    const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate: identity } as const;
    return new KubernetesClient({
      transport: new InProcessTransport({ handle: plane.handle, connection }),
      clock,
      random,
      userAgent: identity.commonName.replace(/^.*:/, ''),
    });
  };
  const log = process.env["KW_LOG"] ? jsonLogger() : silentLogger;
  const node = await processNode({
    nodeName: 'kw',
    client: client(nodeIdentity('kw')),
    clock,
    random,
    log,
    directory: join(directory, 'node'),
    apiServer: { url: 'https://127.0.0.1:1', ca: 'no real authority' },
    volumeRoot,
    restartBackOff: { initialMs: 300, maxMs: 1_000 },
    ...settings,
  });
  late.node = node;
  // Both have all permissions; tests of the whole cluster cover the roles of each.
  const scheduler = new Manager({
    controllers: [
      schedulerController({ clock }),
      nodeLifecycleController().definition,
      volumeBinder().definition,
      volumeProvisioner(new LocalVolumeFolders(volumeRoot)),
    ],
    client: client(adminIdentity),
    clock,
    random,
    log,
    watchdog: false,
    handleSignals: false,
  });
  await installLocalVolumes(client(adminIdentity));
  const running = [node.agent.run(), scheduler.run()];
  for (const one of running) one.catch((error: unknown) => errors.push(error));
  await Promise.all([node.agent.started(), scheduler.started()]);
  return {
    admin: client(adminIdentity),
    node,
    plane,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await scheduler[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
      for (const folder of [directory, volumeRoot]) rmSync(folder, { recursive: true, force: true });
      if (errors.length > 0) throw new AggregateError(errors, 'the cluster had faults');
    },
  };
}
