import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket as DatagramSocket } from 'node:dgram';
import type { Server, Socket } from 'node:net';
import { KubewrightError } from '@kubewright/apimachinery';
import type { SocketAddress, Sockets } from '../sockets.ts';
import { helperProgram } from './helper-program.ts';
import type { IsolationTools } from './tools.ts';

/** Thrown if this machine does not allow an isolated network. */
export class IsolationError extends KubewrightError {
  override readonly name = 'IsolationError';
  readonly code = 'KW5220';
}

/** The network interface of a pod. */
export interface PodInterface {
  readonly key: string;
  /** Name of the interface's end on the bridge; at most 15 characters. */
  readonly device: string;
  readonly ip: string;
}

/** Options for {@link NetworkNamespace.start}. */
export interface NetworkNamespaceOptions {
  readonly tools: IsolationTools;
  /** True if this process is root, which needs no user namespace. */
  readonly isRoot: boolean;
}

const bridge = 'kw0';
/** Prefix length of the pods' network. */
const prefix = 16;
/** Time limit for the helper to start, in milliseconds. */
const patienceMs = 20_000;

type Reply = { readonly result?: { readonly pid?: number }; readonly error?: ReplyError; readonly handle?: unknown };
interface ReplyError {
  readonly message: string;
  readonly code?: string;
  readonly syscall?: string;
}

/**
 * A network namespace with a bridge to which the pods of a cluster are attached, kept alive by a helper process. If
 * this process is not root, the namespace is created in a user namespace that maps this process's user to root. All
 * processes in the namespaces end with this process.
 */
export class NetworkNamespace implements Sockets, AsyncDisposable {
  readonly #helper: ChildProcess;
  readonly #options: NetworkNamespaceOptions;
  readonly #gateway: string;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #next = 0;

  private constructor(helper: ChildProcess, options: NetworkNamespaceOptions & { readonly gateway: string }) {
    this.#helper = helper;
    this.#options = options;
    this.#gateway = options.gateway;
    helper.on('message', (message, handle) => {
      const { id, ...reply } = message as Reply & { readonly id?: number };
      if (id === undefined) return;
      this.#waiting.get(id)?.({ ...reply, handle });
      this.#waiting.delete(id);
    });
    helper.on('exit', () => {
      for (const done of this.#waiting.values()) done({ error: { message: 'the pod network has stopped' } });
      this.#waiting.clear();
    });
  }

  /**
   * Starts the helper and creates the bridge.
   *
   * @throws {@link IsolationError} if the system does not allow it.
   */
  static async start(
    options: NetworkNamespaceOptions & {
      /** Address of the bridge: the first address of the pods' network. */
      readonly gateway: string;
      /** Range of services in CIDR notation. This namespace receives the connections to it. */
      readonly services: string;
      /** Addresses of the nodes. */
      readonly nodes: readonly string[];
    },
  ): Promise<NetworkNamespace> {
    const { tools, isRoot, gateway, services, nodes } = options;
    const user = isRoot ? [] : ['--user', '--map-root-user'];
    const words = [...user, '--net', '--mount', '--', process.execPath, '-e', helperProgram];
    const helper = spawn(tools.unshare, [...words, tools.unshare, tools.nsenter, tools.sh, tools.ip], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Ctrl-C must stop only the cluster, which then stops the helper.
      detached: true,
      cwd: '/',
      env: {},
    });
    await ready(helper);
    const namespace = new NetworkNamespace(helper, { ...options, gateway });
    try {
      await namespace.#send('configure', {
        commands: [
          'link set lo up',
          `link add ${bridge} type bridge`,
          `link set ${bridge} up`,
          `addr add ${gateway}/${prefix} dev ${bridge}`,
          ...nodes.map((ip) => `addr add ${ip}/32 dev ${bridge}`),
          `route add local ${services} dev lo`,
        ],
      });
    } catch (error) {
      await namespace[Symbol.asyncDispose]();
      throw error;
    }
    // The helper must not keep the cluster's process running.
    helper.unref();
    helper.channel?.unref();
    return namespace;
  }

  /** Attaches a pod. Returns the command prefix that runs a program in its network, as root of the cluster's namespaces. */
  async addPod({ key, device, ip }: PodInterface): Promise<readonly string[]> {
    const { pid = 0 } = await this.#send('addPod', {
      key,
      links: [`link add ${device} type veth peer name eth0 netns PID`, `link set ${device} master ${bridge} up`],
      commands: [
        'link set lo up',
        'link set eth0 up',
        `addr add ${ip}/${prefix} dev eth0`,
        `route add default via ${this.#gateway}`,
      ],
    });
    return this.#enter(pid);
  }

  /** Returns the command prefix that runs a program in the network of the nodes. */
  enterHost(): readonly string[] {
    return this.#enter(this.#helper.pid ?? 0);
  }

  /** Runs commands of `nft` in a pod's network. Does nothing if the pod is not attached. @throws Error with nft's message */
  async filterPod(key: string, { nft, ruleset }: { readonly nft: string; readonly ruleset: string }): Promise<void> {
    await this.#send('filterPod', { key, nft, ruleset });
  }

  /** Detaches a pod. The pod's interface is removed once the pod's last process has ended. */
  async removePod(key: string): Promise<void> {
    await this.#send('removePod', { key });
  }

  async listen({ host, port }: SocketAddress): Promise<Server> {
    const server = await this.#open<Server & { allowHalfOpen: boolean; noDelay: boolean; pauseOnConnect: boolean }>(
      'listen',
      { host, port },
    );
    // If a connection cannot be accepted (EMFILE), only its client is affected.
    server.on('error', () => undefined);
    // A socket passed between processes loses its options.
    return Object.assign(server, { allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
  }

  async connect({ host, port }: SocketAddress): Promise<Socket> {
    const socket = await this.#open<Socket>('connect', { host, port });
    return Object.assign(socket, { allowHalfOpen: true });
  }

  async bind({ host, port }: SocketAddress): Promise<DatagramSocket> {
    const socket = await this.#open<DatagramSocket>('bind', { host, port });
    // Datagrams may be lost.
    return socket.on('error', () => undefined);
  }

  /** Stops the helper and everything that still runs in the namespace. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#helper;
    if (exitCode !== null || signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.#helper.once('exit', () => resolve()));
    if (this.#helper.connected) this.#helper.disconnect();
    this.#helper.ref();
    await ended;
  }

  #enter(pid: number): readonly string[] {
    const { tools, isRoot } = this.#options;
    const user = isRoot ? [] : ['--preserve-credentials', `--user=/proc/${this.#helper.pid}/ns/user`];
    return [tools.nsenter, ...user, `--net=/proc/${pid}/ns/net`];
  }

  async #open<T>(operation: string, parameters: SocketAddress): Promise<T> {
    const { handle } = await this.#request(operation, parameters);
    if (!handle) {
      const { host, port } = parameters;
      throw Object.assign(new Error(`${operation} ECONNRESET ${host}:${port}`), { code: 'ECONNRESET' });
    }
    // The helper responds to each operation with a handle of the operation's type.
    return handle as T;
  }

  async #send(operation: string, parameters: object): Promise<{ readonly pid?: number }> {
    return (await this.#request(operation, parameters)).result ?? {};
  }

  async #request(operation: string, parameters: object): Promise<Reply> {
    const id = this.#next++;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#helper.send({ id, operation, parameters }, (error) => {
        if (error) resolve({ error: { message: error.message } });
      });
    });
    if (!reply.error) return reply;
    const { message, ...facts } = reply.error;
    // Gives the error the fields of a system error, such as its code.
    throw Object.assign(new Error(message), facts);
  }
}

/** Waits until the helper runs inside its namespaces. @throws IsolationError with the reason if it exits */
function ready(helper: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = '';
    helper.stderr?.on('data', (chunk: unknown) => {
      errors += String(chunk);
    });
    const fail = (why: string): void => {
      const what = 'cannot create a network for pods';
      const remedy = 'allow user namespaces, or use the loopback network (--network loopback)';
      reject(new IsolationError({ what, why: why.trim(), remedy }));
    };
    // seam: the helper is a real process.
    const timer = setTimeout(() => {
      helper.kill('SIGKILL');
      fail(`the helper did not start within ${patienceMs / 1_000} s`);
    }, patienceMs);
    helper.once('message', () => {
      clearTimeout(timer);
      helper.removeAllListeners('exit').removeAllListeners('error');
      helper.on('error', () => undefined);
      resolve();
    });
    helper.once('error', (error) => fail(error.message));
    helper.once('exit', () => {
      clearTimeout(timer);
      fail(errors || 'the helper has exited');
    });
  });
}
