import type { Storage } from '@kubewright/apiserver';
import { PlaneUnderTest } from '../../packages/controlplane/src/kube-apiserver/testdata/plane-under-test.ts';
import type { ParityServer } from './parity-target.ts';

/** Our API server with in-memory storage. */
export class EmbeddedServer implements ParityServer, AsyncDisposable {
  readonly today: string;
  readonly #plane: PlaneUnderTest;

  private constructor(plane: PlaneUnderTest) {
    this.#plane = plane;
    this.today = new Date(plane.clock.now()).toISOString().slice(0, 10);
  }

  static async start(options: { readonly storage?: Storage } = {}): Promise<EmbeddedServer> {
    return new EmbeddedServer(await PlaneUnderTest.start(options));
  }

  /** Internal errors that the server reported. */
  get errors(): readonly unknown[] {
    return this.#plane.errors;
  }

  readonly send: ParityServer['send'] = ({ method, path, type, accept, body }) =>
    this.#plane.send(method, path, body, {
      'user-agent': 'parity',
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
    });

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plane[Symbol.asyncDispose]();
  }
}
