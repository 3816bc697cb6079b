import { type Clock, seededRandom } from '@kubewright/apimachinery';
import { Event, Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { Connection } from '@kubewright/apiserver';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { jsonLogger, Manager, silentLogger } from '@kubewright/runtime';
import type { Identity } from '../../cluster/identities.ts';
import { adminIdentity, controllerIdentity, controllerManagerIdentity } from '../../cluster/identities.ts';
import { SplitIdentityTransport } from '../../cluster/split-identity-transport.ts';
import { PlaneUnderTest } from '../../kube-apiserver/testdata/plane-under-test.ts';
import type { BuiltInController } from '../built-in-controller.ts';

/**
 * A control plane on a virtual clock with some built-in controllers, each under its own account. It has no scheduler and no
 * nodes.
 */
export class ControllersUnderTest implements AsyncDisposable {
  readonly plane: PlaneUnderTest;
  /** An administrator's client. */
  readonly client: KubernetesClient;
  /** The requests of controllers that the server rejected as forbidden. */
  readonly rejections: string[] = [];
  readonly #managers: Manager[] = [];
  #requests = 0;

  private constructor(plane: PlaneUnderTest) {
    this.plane = plane;
    this.client = this.#client(this.#transport(adminIdentity));
  }

  static async start(controllers: readonly BuiltInController[]): Promise<ControllersUnderTest> {
    const made = new ControllersUnderTest(await PlaneUnderTest.start());
    await Promise.all(controllers.map((controller) => made.run(controller)));
    return made;
  }

  get clock(): PlaneUnderTest['clock'] {
    return this.plane.clock;
  }

  /** Starts another controller. */
  async run({ account, definition }: BuiltInController): Promise<Manager> {
    const informers = this.#transport(controllerManagerIdentity);
    const actor = this.#transport(controllerIdentity(account));
    const clock: Clock = this.plane.clock;
    const random = seededRandom(2);
    const manager = new Manager({
      controllers: [definition],
      client: this.#client(new SplitIdentityTransport({ informers, actor })),
      clock,
      random,
      log: process.env['KW_LOG'] ? jsonLogger({ destination: process.stdout }) : silentLogger,
      controllerDefaults: { errorEvents: false },
      watchdog: false,
      handleSignals: false,
    });
    this.#managers.push(manager);
    void manager.run();
    await manager.started();
    return manager;
  }

  /** Creates a namespace with its default service account, so that pods are admitted. */
  async namespace(name: string): Promise<string> {
    await this.client.resource(Namespace).create(Namespace({ metadata: { name } }));
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } } as const;
    await this.client.resource(ServiceAccount).create(account);
    return name;
  }

  /** Waits until the controllers send no further requests. Does not advance the clock. */
  async settle(): Promise<void> {
    for (let quiet = 0, before = -1; quiet < 8; quiet = this.#requests === before ? quiet + 1 : 0) {
      before = this.#requests;
      for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Advances the clock and lets the controllers settle. */
  async advance(ms: number): Promise<void> {
    await this.settle();
    await this.plane.clock.advance(ms);
    await this.settle();
  }

  /** Returns the events of a namespace as `<object>: <type> <reason>: <message>`, sorted. */
  async events(namespace: string): Promise<readonly string[]> {
    await this.settle();
    const { items } = await this.client.resource(Event).list({ namespace });
    return items
      .map(({ involvedObject, type, reason, message }) => `${involvedObject.name}: ${type} ${reason}: ${message}`)
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#managers.map((manager) => manager[Symbol.asyncDispose]()));
    await this.plane[Symbol.asyncDispose]();
  }

  #client(transport: InProcessTransport<Connection> | SplitIdentityTransport): KubernetesClient {
    return new KubernetesClient({ transport, clock: this.plane.clock, random: seededRandom(3), userAgent: 'test' });
  }

  #transport(clientCertificate: Identity): InProcessTransport<Connection> {
    const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate } as const;
    return new InProcessTransport<Connection>({
      connection,
      handle: async (request) => {
        this.#requests++;
        const response = await this.plane.plane.handle(request);
        this.#requests++;
        if (response.status === 403 && clientCertificate !== adminIdentity) {
          this.rejections.push(`${clientCertificate.commonName}: ${request.method} ${request.path}`);
        }
        return response;
      },
    });
  }
}
