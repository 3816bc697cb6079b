import { mkdtempSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock, systemRandom } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import { LocalVolumeFolders } from '../../packages/controlplane/src/cluster/local-volume-folders.ts';
import {
  installLocalVolumes,
  volumeProvisioner,
} from '../../packages/controlplane/src/controllers/local-volumes/index.ts';
import { AssignedUsers, type ProcessNode, processNode } from '../../packages/controlplane/src/node/index.ts';

/** This project's nodes and volumes for any control plane, including the real one. Pods run as processes. */
export class RealNodes implements AsyncDisposable {
  /** Folder of the volumes, by node and name of the PersistentVolume. */
  readonly volumes: string;
  readonly #root: string;
  readonly #nodes: readonly ProcessNode[];
  readonly #provisioner: Manager;

  private constructor(parts: { root: string; volumes: string; nodes: readonly ProcessNode[]; provisioner: Manager }) {
    this.volumes = parts.volumes;
    this.#root = parts.root;
    this.#nodes = parts.nodes;
    this.#provisioner = parts.provisioner;
  }

  /** Starts nodes named `node-1`, `node-2`, … that can run the images in a file, and creates a default storage class. */
  static async start(options: {
    readonly kubeconfig: string;
    readonly count: number;
    readonly imageFile: string;
  }): Promise<RealNodes> {
    const config = await loadClientConfig({ kubeconfig: options.kubeconfig });
    const admin = clientFromConfig(config);
    const root = mkdtempSync(join(tmpdir(), 'kw-nodes-'));
    // Containers run as other users, which must be able to enter the folder.
    await chmod(root, 0o711);
    const volumes = join(root, 'volumes');
    const assignedUsers = new AssignedUsers();
    const apiServer = { url: config.server, ca: await trustOf(admin) };
    const nodes = await Promise.all(
      Array.from({ length: options.count }, async (_, index) => {
        const nodeName = `node-${index + 1}`;
        const node = await processNode({
          nodeName,
          client: admin.with({
            impersonate: { user: `system:node:${nodeName}`, groups: ['system:nodes'] },
            fieldManager: 'kubelet',
          }),
          clock: systemClock,
          random: systemRandom,
          log,
          directory: join(root, nodeName),
          apiServer,
          imageFile: options.imageFile,
          volumeRoot: volumes,
          assignedUsers,
          components: [],
        });
        node.agent.run().catch(() => undefined); // stopped by the disposal
        await node.agent.started();
        return node;
      }),
    );
    await installLocalVolumes(admin);
    const controllers = [volumeProvisioner(new LocalVolumeFolders(volumes))];
    const provisioner = new Manager({ controllers, client: admin, log, handleSignals: false });
    provisioner.run().catch(() => undefined); // stopped by the disposal
    await provisioner.started();
    return new RealNodes({ root, volumes, nodes, provisioner });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
    await this.#provisioner[Symbol.asyncDispose]();
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Waits until the control plane publishes its CA certificate for pods, and returns it. */
async function trustOf(client: KubernetesClient): Promise<string> {
  const key = { namespace: 'kube-system', name: 'kube-root-ca.crt' };
  for (;;) {
    const found = await client
      .resource(ConfigMap)
      .get(key)
      .catch(() => undefined);
    if (found) return found.data?.['ca.crt'] ?? '';
    await sleep(systemClock, { ms: 100 });
  }
}
