import { generateKeyPairSync } from 'node:crypto';
import { seededRandom, type VirtualClock } from '@kubewright/apimachinery';
import { type ApiRequest, type ApiResponse, type Connection, MemoryStorage } from '@kubewright/apiserver';
import { InProcessTransport, type Transport, TransportError } from '@kubewright/client';
import { adminIdentity } from '../../packages/controlplane/src/cluster/identities.ts';
import { ControlPlane } from '../../packages/controlplane/src/kube-apiserver/control-plane.ts';

/** The embedded API server on a virtual clock; it can be stopped and restarted with its stored data. */
export class RestartingServer implements AsyncDisposable {
  /** Internal errors of the server. */
  readonly errors: unknown[] = [];
  readonly #clock: VirtualClock;
  readonly #seed: number;
  readonly #storage: MemoryStorage;
  readonly #key: string;
  #plane: ControlPlane | undefined;
  #starts = 0;

  constructor(options: { readonly clock: VirtualClock; readonly seed: number }) {
    this.#clock = options.clock;
    this.#seed = options.seed;
    this.#storage = new MemoryStorage({ clock: options.clock });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  }

  get isUp(): boolean {
    return this.#plane !== undefined;
  }

  async start(): Promise<void> {
    const plane = new ControlPlane({
      storage: this.#storage,
      clock: this.#clock,
      random: seededRandom(this.#seed + this.#starts++),
      serviceAccountKey: this.#key,
      serverAddress: () => '127.0.0.1:1',
      onError: (error) => void this.errors.push(error),
    });
    await plane.start();
    this.#plane = plane;
  }

  /** Ends all requests and watches, and refuses new ones. */
  async stop(): Promise<void> {
    const plane = this.#plane;
    this.#plane = undefined;
    await plane?.[Symbol.asyncDispose]();
  }

  /** Returns an administrator's connection. */
  transport(): Transport {
    const connection = {
      remoteAddress: '127.0.0.1',
      protocol: 'in-process',
      clientCertificate: adminIdentity,
    } as const;
    return new InProcessTransport<Connection>({ handle: (request) => this.#handle(request), connection });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#storage[Symbol.asyncDispose]();
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    const plane = this.#plane;
    if (plane) return plane.handle(request);
    const what = `${request.method} ${request.path}: the server is down`;
    throw new TransportError('KW2001', { what }, { retryable: true, sent: false });
  }
}
