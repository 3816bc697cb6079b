import type { Clock, Random } from '@kubewright/apimachinery';
import type { AddressPool } from '../../network/address-pool.ts';
import type {
  ContainerRequest,
  Driver,
  ImageReference,
  PodSandbox,
  PodSandboxRequest,
  RunningContainer,
} from '../driver.ts';
import { type ContainerFunction, FunctionContainer } from './function-container.ts';
import type { InProcessNetwork } from './in-process-network.ts';
import type { MemoryFiles } from './memory-files.ts';

/** Options for {@link InprocDriver}. */
export interface InprocDriverOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The function that runs for each image, by image name. */
  readonly programs: Readonly<Record<string, ContainerFunction>>;
  readonly network: InProcessNetwork;
  readonly files: MemoryFiles;
  /** Pod addresses, shared by all nodes of the cluster. */
  readonly addresses: AddressPool;
}

/** Runs each container as a function of this process, with the node's clock, and a network and files in memory. */
export class InprocDriver implements Driver {
  readonly name = 'inproc';
  readonly noTerminals = 'TTY is not supported on this node: its containers are functions; omit -t';
  readonly files: MemoryFiles;
  readonly #options: InprocDriverOptions;
  readonly #podIPs = new Map<string, string>();
  readonly #running = new Set<FunctionContainer>();

  constructor(options: InprocDriverOptions) {
    this.#options = options;
    this.files = options.files;
  }

  async preparePod({ uid, hostIP }: PodSandboxRequest): Promise<PodSandbox> {
    if (hostIP !== undefined) return { podIP: hostIP };
    const known = this.#podIPs.get(uid);
    if (known !== undefined) return { podIP: known };
    const podIP = this.#options.addresses.take();
    this.#podIPs.set(uid, podIP);
    return { podIP };
  }

  async removePod(uid: string): Promise<void> {
    this.#options.addresses.free(this.#podIPs.get(uid) ?? '');
    this.#podIPs.delete(uid);
    this.files.remove(`/pods/${uid}`);
  }

  async pullImage(image: string): Promise<ImageReference> {
    if (!Object.hasOwn(this.#options.programs, image)) {
      const known = Object.keys(this.#options.programs).sort().join(', ') || 'none';
      const message = `image "${image}" cannot run on this node: no function is registered for this image; add one to the node's programs (known images: ${known})`;
      throw Object.assign(new Error(message), { reason: 'ErrImagePull' });
    }
    return { image, imageId: `inproc://${image}` };
  }

  async startContainer(request: ContainerRequest): Promise<RunningContainer> {
    const { clock, random, programs, network, files } = this.#options;
    const run = programs[request.image.image];
    if (!run) throw new Error(`no function is registered for image "${request.image.image}"`);
    const id = `inproc://${random.uid().replaceAll('-', '')}`;
    const container = new FunctionContainer({ id, run, request, clock, network, files });
    this.#running.add(container);
    void container.exited.then(() => this.#running.delete(container));
    return container;
  }

  kill(): void {
    for (const container of this.#running) void container.stop({ graceMs: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    for (const podIP of this.#podIPs.values()) this.#options.addresses.free(podIP);
    this.#podIPs.clear();
  }
}
