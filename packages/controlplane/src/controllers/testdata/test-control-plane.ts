import type { Identity } from '../../cluster/identities.ts';
import * as crypto from 'node:crypto';
import { type Status, systemClock, systemRandom, issueCertificate } from '@kubewright/apimachinery';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { type ControllerDefinition, jsonLogger, silentLogger } from '@kubewright/runtime';
import { MemoryStorage, type ApiHandler, type Connection } from '@kubewright/apiserver';
import { podEviction } from '../../kube-apiserver/pods/index.ts';
import { Components } from '../../cluster/components.ts';
import { ControlPlane } from '../../kube-apiserver/control-plane.ts';
import {
  adminIdentity,
  controllerIdentity,
  controllerManagerIdentity,
  schedulerIdentity,
  serverIdentity,
} from '../../cluster/identities.ts';
import { SplitIdentityTransport } from '../../cluster/split-identity-transport.ts';
import { schedulerController } from '../../scheduler/index.ts';
import { builtInControllers } from '../index.ts';

type Define = (name: string, definition: ControllerDefinition) => ControllerDefinition;

/** Options for {@link TestControlPlane}. */
export interface TestControlPlaneOptions {
  /** @defaultValue nothing is logged */
  readonly log?: { write(line: string): void };
  /** Changes the definition of a component's controller each time the component starts. */
  readonly define?: Define;
}

/**
 * A control plane with all built-in controllers and the scheduler, each under its own account. It has no nodes and no sockets.
 */
export class TestControlPlane implements AsyncDisposable {
  readonly client: KubernetesClient;
  /** Internal errors of the server. */
  readonly errors: unknown[] = [];
  /** The requests of components that the server rejected as forbidden, as `<user>: <message>`. */
  readonly rejections: string[] = [];
  readonly #plane: ControlPlane;
  readonly #storage: MemoryStorage;
  readonly #components: Components;

  private constructor(destination: { write(line: string): void } | undefined) {
    const services = { clock: systemClock, random: systemRandom };
    this.#storage = new MemoryStorage({ clock: systemClock });
    const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#plane = new ControlPlane({
      storage: this.#storage,
      ...services,
      serviceAccountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      allowLoopbackEndpoints: true,
      serverAddress: () => '127.0.0.1:1',
      connect: new Map([['pods/eviction', podEviction({ handle: () => this.#plane.handle, clock: systemClock })]]),
      onError: (error) => void this.errors.push(error),
    });
    const log = destination ? jsonLogger({ ...services, destination }) : silentLogger;
    this.client = this.#client(this.#transport(adminIdentity));
    const reader = this.#client(this.#transport(controllerManagerIdentity));
    this.#components = new Components({ ...services, log, reader });
  }

  static async start(options: TestControlPlaneOptions = {}): Promise<TestControlPlane> {
    const plane = new TestControlPlane(options.log);
    await plane.#plane.start();
    await plane.#startComponents(options.define ?? ((_name, definition) => definition));
    return plane;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#components[Symbol.asyncDispose]();
    await this.#plane[Symbol.asyncDispose]();
    await this.#storage[Symbol.asyncDispose]();
  }

  async #startComponents(define: Define): Promise<void> {
    const informers = this.#transport(controllerManagerIdentity);
    const subject = { commonName: 'test-ca' };
    const life = { notBeforeMs: systemClock.now() - 60_000, notAfterMs: systemClock.now() + 10 * 365 * 86_400_000 };
    const authority = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
    const signer = { ...authority, subject };
    const issueToken: Parameters<typeof builtInControllers>[0]['issueToken'] = (token) => this.#plane.issueLegacyToken(token);
    const controllers = builtInControllers({ ca: 'a certificate', signer, issueToken }).map((controller) => {
      const { name, account, actsAsServer, actsAsManager, definition } = controller;
      const own = actsAsManager ? controllerManagerIdentity : controllerIdentity(account);
      const actor = this.#transport(actsAsServer ? serverIdentity : own);
      const made = () => define(name, definition());
      const transport = actsAsServer ? actor : new SplitIdentityTransport({ informers, actor });
      return { name, definition: made, client: this.#client(transport) };
    });
    const client = this.#client(this.#transport(schedulerIdentity));
    const scheduler = { name: 'scheduler', client, definition: () => define('scheduler', schedulerController({ clock: systemClock })) };
    await this.#components.start([...controllers, scheduler]);
  }

  #client(transport: InProcessTransport<Connection> | SplitIdentityTransport): KubernetesClient {
    return new KubernetesClient({ transport, clock: systemClock, random: systemRandom, userAgent: 'test' });
  }

  #transport(identity: Identity): InProcessTransport<Connection> {
    const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate: identity } as const;
    const handle: ApiHandler = async (request) => {
      const response = await this.#plane.handle(request);
      if (response.status === 403 && identity !== adminIdentity && response.body instanceof Uint8Array) {
        const { message, details } = JSON.parse(Buffer.from(response.body).toString('utf8')) as Status;
        const isTerminating = details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');
        if (!isTerminating) this.rejections.push(`${identity.commonName}: ${message}`);
      }
      return response;
    };
    return new InProcessTransport<Connection>({ handle, connection });
  }
}
