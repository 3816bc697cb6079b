import type { AddressInfo } from 'node:net';
import type { Clock } from '@kubewright/apimachinery';
import { hostSockets, type SocketAddress, type Sockets } from '../sockets.ts';
import { IngressCertificates } from './ingress-certificates.ts';
import type { IngressSources, ServedIngresses } from './ingress-controller.ts';
import { IngressProxy } from './ingress-proxy.ts';
import { IngressTable } from './ingress-rules.ts';
import { TlsTable } from './ingress-tls.ts';

/** Options for {@link IngressListeners}. */
export interface IngressListenersOptions {
  /** The address of this machine at which Ingresses are served. */
  readonly host: string;
  /** The sockets that reach the endpoints of services. */
  readonly sockets: Sockets;
  readonly clock: Clock;
  /** Opens the listeners. @defaultValue this machine's sockets */
  readonly listenOn?: Sockets['listen'];
}

/** The ports of each scheme, in the order in which they are tried; 0 is any free port. */
const ports = { http: [80, 8080, 0], https: [443, 8443, 0] } as const;

type Scheme = keyof typeof ports;

/** The result of listening for one scheme. */
interface Opened {
  /** Undefined if no port is available. */
  readonly address: SocketAddress | undefined;
  /** Explains why no port or an unusual port is used. */
  readonly note: string | undefined;
}

/**
 * The proxies that serve Ingresses, one for HTTP and one for HTTPS. Each proxy starts listening when it is first
 * needed.
 */
export class IngressListeners implements Disposable {
  /** The rules that the proxies follow. */
  readonly table: IngressTable = new IngressTable();
  /** The hosts that are served over TLS. */
  readonly tls: TlsTable = new TlsTable();
  readonly #options: IngressListenersOptions;
  readonly #byScheme = new Map<Scheme, Promise<Opened>>();
  readonly #proxies: IngressProxy[] = [];
  #isDisposed = false;

  constructor(options: IngressListenersOptions) {
    this.#options = options;
  }

  /**
   * Starts listening for HTTP, and for HTTPS if `tls` is set. Does nothing if already listening. Each scheme can fail
   * independently.
   */
  async listen(sources: IngressSources, options: { readonly tls: boolean }): Promise<ServedIngresses> {
    const schemes: readonly Scheme[] = options.tls ? ['http', 'https'] : ['http'];
    const opened = await Promise.all(schemes.map((scheme) => this.#opened(scheme, sources)));
    return {
      addresses: opened.flatMap(({ address }) => address ?? []),
      notes: opened.flatMap(({ note }) => note ?? []),
      isComplete: opened.every(({ address }) => address),
    };
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const proxy of this.#proxies.splice(0)) proxy[Symbol.dispose]();
  }

  async #opened(scheme: Scheme, sources: IngressSources): Promise<Opened> {
    const opening = this.#byScheme.get(scheme) ?? this.#open(scheme, sources);
    this.#byScheme.set(scheme, opening);
    const opened = await opening;
    // The next call retries.
    if (!opened.address) this.#byScheme.delete(scheme);
    return opened;
  }

  async #open(scheme: Scheme, { endpoints, secret }: IngressSources): Promise<Opened> {
    const { host, sockets, clock, listenOn = hostSockets.listen } = this.#options;
    const [first, second] = ports[scheme];
    const failures: string[] = [];
    for (const port of ports[scheme]) {
      try {
        const listener = await listenOn({ host, port });
        const { table, tls: hosts } = this;
        const certificates = scheme === 'https' ? new IngressCertificates({ clock, hosts, secret }) : undefined;
        const proxy = new IngressProxy({ listener, sockets, table, endpoints, certificates });
        if (this.#isDisposed) proxy[Symbol.dispose]();
        else this.#proxies.push(proxy);
        if (port !== 0) return { address: { host, port }, note: undefined };
        const free = (listener.address() as AddressInfo).port;
        const note = `${scheme.toUpperCase()} is served on port ${free}, because ${first} and ${second} are not available: ${failures.join('; ')}`;
        return { address: { host, port: free }, note };
      } catch (error) {
        // Another program uses the port, or only root may listen on it.
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    return { address: undefined, note: `${scheme.toUpperCase()} is not served: ${failures.join('; ')}` };
  }
}
