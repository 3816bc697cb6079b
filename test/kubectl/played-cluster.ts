import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Node, type Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { EmbeddedCluster, type NodeConnector } from '@kubewright/controlplane';
import { Manager, silentLogger } from '@kubewright/runtime';
import { playCommand, playContainer } from './play-container.ts';
import { nodeObject, playNodes } from './play-node.ts';

/** An embedded cluster with two simulated nodes, as in the recording. */
export class PlayedCluster implements AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  readonly client: KubernetesClient;
  /** A temporary folder, used as HOME of kubectl. */
  readonly home: string;
  readonly #player: Manager;
  readonly #playing: Promise<void>;

  private constructor(cluster: EmbeddedCluster, home: string) {
    this.cluster = cluster;
    this.home = home;
    this.client = cluster.client();
    const controllers = playNodes([{ name: 'node-1' }, { name: 'node-2' }]);
    this.#player = new Manager({ controllers, client: this.client, log: silentLogger, handleSignals: false });
    this.#playing = this.#player.run();
  }

  static async start(): Promise<PlayedCluster> {
    const home = mkdtempSync(join(tmpdir(), 'kubewright-kubectl-'));
    const cluster = await EmbeddedCluster.start({
      directory: join(home, 'cluster'),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      connector: playedConnector,
      // Kubernetes' control plane has neither metrics nor an ingress controller.
      components: ['*', '-metrics', '-ingress-controller'],
    });
    const played = new PlayedCluster(cluster, home);
    for (const name of ['node-1', 'node-2']) {
      const object = nodeObject({ name });
      await played.client.resource(Node).create(object);
      await played.client.resource(Node).status.patch({ name }, { type: 'merge', body: { status: object.status } });
    }
    await played.#player.started();
    return played;
  }

  /** `host:port` of the API server. */
  get server(): string {
    return new URL(this.cluster.url).host;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#player[Symbol.asyncDispose]();
    await this.#playing;
    await this.cluster[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true });
  }
}

const playedConnector: NodeConnector = {
  async logs(pod, options) {
    const container = (pod as Pod).spec?.containers.find(({ name }) => name === options.container);
    const { stdout, stderr } = playContainer(container ?? {});
    const lines = `${stdout}${stderr}`.split('\n').slice(0, -1);
    const shown = options.tailLines === undefined ? lines : lines.slice(Math.max(0, lines.length - options.tailLines));
    return chunks(shown.map((line) => `${line}\n`).join(''));
  },
  async exec(_pod, { command, stdout, stderr }) {
    const played = playCommand(command);
    if (played.stdout) stdout(Buffer.from(played.stdout));
    if (played.stderr) stderr(Buffer.from(played.stderr));
    return { exitCode: played.exitCode ?? 0 };
  },
};

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
