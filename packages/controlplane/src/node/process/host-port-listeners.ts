import type { Clock } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { SocketAddress, Sockets } from '../../network/sockets.ts';
import { TcpForwarder } from '../../network/tcp-forwarder.ts';
import { UdpForwarder } from '../../network/udp-forwarder.ts';
import type { HostAddress } from '../driver.ts';

/** A host port of a pod, and the address to which its connections are forwarded. */
export interface HostPort {
  /** @defaultValue TCP */
  readonly protocol?: 'TCP' | 'UDP';
  readonly listen: SocketAddress;
  readonly target: SocketAddress;
}

/**
 * Returns the host ports of a pod, for TCP and UDP. Without a host IP, they are on 127.0.0.1 and on the node's address, never on addresses
 * that other machines can reach.
 *
 * @param options - `shared`: true if the pod's programs share the network of this machine. A host port that equals its container
 * port is then skipped, because a program that listens on all addresses already serves it.
 */
export function hostPortsOf(
  { spec }: Pod,
  options: { readonly podIP: string; readonly nodeIP: string; readonly shared: boolean },
): readonly HostPort[] {
  const { podIP, nodeIP, shared } = options;
  if (spec?.hostNetwork) return [];
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return containers
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort = 0, hostIP = '', containerPort, protocol = 'TCP' }) => {
      if (hostPort === 0 || (shared && hostPort === containerPort)) return [];
      if (protocol !== 'TCP' && protocol !== 'UDP') return [];
      const hosts = hostIP === '' || hostIP === '0.0.0.0' ? [...new Set(['127.0.0.1', nodeIP])] : [hostIP];
      const target = { host: podIP, port: containerPort };
      return hosts.map((host) => ({ protocol, listen: { host, port: hostPort }, target }));
    });
}

/** Returns the TCP ports that a pod declares, for opening at an address of this machine. */
export function declaredPorts(
  { spec }: Pod,
  { podIP, address }: { readonly podIP: string; readonly address: string },
): readonly HostPort[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const ports = containers
    .flatMap((container) => container.ports ?? [])
    .flatMap(({ containerPort, protocol = 'TCP' }) => (protocol === 'TCP' ? [containerPort] : []));
  return [...new Set(ports)].map((port) => ({ listen: { host: address, port }, target: { host: podIP, port } }));
}

/** The open host ports of a node's pods. */
export class HostPortListeners implements Disposable {
  readonly #pods = new Map<string, readonly Disposable[]>();
  readonly #exposed = new Map<string, HostAddress>();
  readonly #host: Sockets;
  readonly #network: Sockets;
  readonly #clock: Clock;

  /** @param options - `host`: sockets of this machine's network; `pods`: sockets of the pods' network. */
  constructor(options: { readonly host: Sockets; readonly pods: Sockets; readonly clock: Clock }) {
    this.#host = options.host;
    this.#network = options.pods;
    this.#clock = options.clock;
  }

  /**
   * Opens the host ports of a pod, unless they are already open.
   * @throws the system's error if a port is in use or privileged
   */
  async open(podUid: string, ports: readonly HostPort[]): Promise<void> {
    if (ports.length === 0 || this.#pods.has(podUid)) return;
    const opened: Disposable[] = [];
    try {
      for (const port of ports) opened.push(await this.#forward(port));
    } catch (error) {
      for (const one of opened) one[Symbol.dispose]();
      throw error;
    }
    this.#pods.set(podUid, opened);
  }

  /**
   * Opens additional ports of a pod, and reports the ports that it cannot open in the result. Returns `undefined` if
   * there are no ports. A second call returns the first result.
   */
  async expose(podUid: string, ports: readonly HostPort[]): Promise<HostAddress | undefined> {
    const [first] = ports;
    if (!first) return undefined;
    const known = this.#exposed.get(podUid);
    if (known) return known;
    const opened: Disposable[] = [];
    const failed: { readonly port: number; readonly why: string }[] = [];
    for (const { listen, target } of ports) {
      try {
        opened.push(await this.#forward({ listen, target }));
      } catch (error) {
        failed.push({ port: listen.port, why: error instanceof Error ? error.message : String(error) });
      }
    }
    this.#pods.set(podUid, [...(this.#pods.get(podUid) ?? []), ...opened]);
    const isOpen = (port: number): boolean => failed.every((one) => one.port !== port);
    const exposed = { ip: first.listen.host, ports: ports.map(({ listen }) => listen.port).filter(isOpen), failed };
    this.#exposed.set(podUid, exposed);
    return exposed;
  }

  async #forward({ protocol, listen, target }: HostPort): Promise<Disposable> {
    if (protocol === 'UDP') {
      return new UdpForwarder({
        socket: await this.#host.bind(listen),
        target: () => target,
        open: () => this.#network.bind({ host: '0.0.0.0', port: 0 }),
        clock: this.#clock,
      });
    }
    const server = await this.#host.listen(listen);
    return new TcpForwarder({ server, open: (_, onread) => this.#network.connect(target, { onread }) });
  }

  close(podUid: string): void {
    for (const one of this.#pods.get(podUid) ?? []) one[Symbol.dispose]();
    this.#pods.delete(podUid);
    this.#exposed.delete(podUid);
  }

  [Symbol.dispose](): void {
    for (const uid of [...this.#pods.keys()]) this.close(uid);
  }
}
