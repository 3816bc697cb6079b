import type { Duplex } from 'node:stream';
import type { KindDescriptor, ObjectKey } from '@kubewright/apimachinery';
import type { CallRunner } from '../call/call-runner.ts';
import { RequestError } from '../call/request-error.ts';
import type { CallOptions } from '../resource/call-options.ts';
import { objectRequest, placeOf, type ResourceScope } from '../resource/object-request.ts';
import type { ByteStream, SubresourceClient } from '../resource/resource-client.ts';
import type { Query } from '../resource/resource-path.ts';
import { TypedSubresourceClient } from '../resource/typed-subresource-client.ts';
import type { WebSocketClient } from '../websocket/web-socket.ts';
import { type EvictionResult, type EvictOptions, evict } from './evict.ts';
import type { PodCommand } from './pod-command.ts';
import type { AttachOptions, ExecOptions, PodLogOptions, PodsClient } from './pods-client.ts';
import type { PortForward, PortForwardOptions } from './port-forward.ts';

/** A minimal descriptor of the Pod kind; importing the kind itself would load all types of its group. */
export const podKind: KindDescriptor = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };

/** Implements {@link PodsClient}; loads the streaming code on first use. */
export class StreamingPodsClient implements PodsClient {
  readonly #runner: CallRunner;
  readonly #scope: ResourceScope;

  constructor(runner: CallRunner, scope: ResourceScope) {
    this.#runner = runner;
    this.#scope = scope;
  }

  logs(key: ObjectKey, { signal, follow, ...query }: PodLogOptions = {}): Promise<ByteStream> {
    const options = { query: { ...query, ...(follow ? { follow } : {}) }, signal };
    return this.#subresource('log').stream(key, { ...options, ...(follow ? { longRunning: true } : {}) });
  }

  async exec(key: ObjectKey, { command, ...options }: ExecOptions): Promise<PodCommand> {
    if (command.length === 0)
      throw new RequestError({ what: `cannot exec in pod ${key.name}`, why: 'the command is empty' });
    return this.#command('exec', key, { ...options, command });
  }

  attach(key: ObjectKey, options: AttachOptions = {}): Promise<PodCommand> {
    return this.#command('attach', key, options);
  }

  async connect(key: ObjectKey, { port, signal }: { readonly port: number } & CallOptions): Promise<Duplex> {
    const { portForwardProtocols, portStream } = await import('./port-forward.ts');
    const request = { key, subresource: 'portforward', query: { ports: port }, signal };
    return portStream(await this.#webSocket(request, portForwardProtocols), { pod: key.name, port, signal });
  }

  async portForward(
    to: ObjectKey | ((signal: AbortSignal) => Promise<ObjectKey & { readonly port: number }>),
    options: Partial<PortForwardOptions> = {},
  ): Promise<PortForward> {
    const { listen } = await import('./port-forward.ts');
    const { port = 0, ...rest } = options;
    const choose = typeof to === 'function' ? to : async () => ({ ...to, port });
    const open = async (signal: AbortSignal): Promise<Duplex> => {
      const { port, ...key } = await choose(signal);
      return this.connect(key, { port, signal });
    };
    return listen(open, { ...rest, clock: this.#runner.clock });
  }

  evict(key: ObjectKey, options: EvictOptions = {}): Promise<EvictionResult> {
    return evict(this.#subresource('eviction'), placeOf(this.#scope, key), options);
  }

  async #command(
    subresource: 'exec' | 'attach',
    key: ObjectKey,
    options: AttachOptions & Partial<ExecOptions>,
  ): Promise<PodCommand> {
    const { container, tty = false, stdin, stdout = true, stderr = !tty, command, signal } = options;
    const { ChannelCommand, commandProtocols } = await import('./pod-command.ts');
    const query = { command, container, stdin: stdin !== undefined, stdout, stderr, tty };
    const socket = await this.#webSocket({ key, subresource, query, signal }, commandProtocols);
    return new ChannelCommand(socket, options);
  }

  async #webSocket(
    to: {
      readonly key: ObjectKey;
      readonly subresource: string;
      readonly query: Query;
      readonly signal: AbortSignal | undefined;
    },
    protocols: readonly string[],
  ): Promise<WebSocketClient> {
    const { key, subresource, query, signal } = to;
    if (this.#scope.dryRun) {
      throw new RequestError({
        what: `cannot open subresource ${subresource} of pod ${key.name}`,
        why: 'the client is in dry-run mode, which opens no streams',
      });
    }
    const at = { ...placeOf(this.#scope, key), subresource };
    const { openWebSocket } = await import('../websocket/web-socket.ts');
    // The API server authorizes the verb `create` for this subresource.
    return openWebSocket(this.#runner, objectRequest(this.#scope, { verb: 'create', at, query, signal }), protocols);
  }

  #subresource(name: string): SubresourceClient<unknown> {
    return new TypedSubresourceClient<unknown>(this.#runner, { scope: this.#scope, name });
  }
}
