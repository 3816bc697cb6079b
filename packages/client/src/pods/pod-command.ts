import { type Status, StatusError } from '@kubewright/apimachinery';
import { TransportError } from '../transport/transport-error.ts';
import type { WebSocketClient } from '../websocket/web-socket.ts';
import type { AttachOptions } from './pods-client.ts';

/** Channels of `v4.channel.k8s.io` and `v5.channel.k8s.io`: the first byte of each message. */
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;
/** Input is sent in chunks of at most this size, because servers limit message sizes. */
const maxInputBytes = 32 << 10;

/** The subprotocols in order of preference: only v5 can signal the end of the command's input. */
export const commandProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** Output of a command, in the order in which the server sent it. */
interface CommandOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/**
 * A running command. Iterate over it for its output; a slow reader slows the command down. Leaving the loop closes the
 * connection, which ends the command on most, but not all, container runtimes.
 *
 * @example
 * ```ts
 * async function run(command: PodCommand): Promise<void> {
 *   const { exitCode, stdout, stderr } = await command.text();
 *   if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr}`);
 *   console.log(stdout);
 * }
 * await run(await client.pods.exec({ namespace: 'shop', name: 'db-0' }, { command: ['pg_dump', 'shop'] }));
 * ```
 */
export interface PodCommand extends AsyncIterable<CommandOutput>, AsyncDisposable {
  /**
   * Returns the exit code once the command has ended; 0 for an attached container. Discards the output unless a loop is
   * already reading it, or starts to in the same turn of the event loop.
   * @throws StatusError if the command cannot be started.
   * @throws TransportError `KW2003` if the connection was lost: the command may still run.
   */
  exit(): Promise<number>;
  /** Collects the output as text until the command has ended. */
  text(): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
}

/** A command whose streams are channels of a WebSocket. */
export class ChannelCommand implements PodCommand {
  readonly #socket: WebSocketClient;
  readonly #options: AttachOptions;
  readonly #exit: Promise<number>;
  #settle: { readonly resolve: (code: number) => void; readonly reject: (error: unknown) => void } | undefined;
  #output: AsyncGenerator<CommandOutput, void, undefined> | undefined;
  #isDiscarded = false;
  #inputFailure: { readonly error: unknown } | undefined;

  constructor(socket: WebSocketClient, options: AttachOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#exit = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#exit.catch(() => {
      // The read throws the error too.
    });
    const { signal, stdin, sizes } = options;
    const onAbort = (): void => socket.destroy();
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    this.#exit.finally(() => signal?.removeEventListener('abort', onAbort)).catch(() => {});
    if (stdin !== undefined) this.#pump(this.#sendInput(typeof stdin === 'string' || isBytes(stdin) ? [stdin] : stdin));
    if (sizes) this.#pump(this.#sendSizes(sizes));
  }

  [Symbol.asyncIterator](): AsyncIterator<CommandOutput> {
    if (this.#isDiscarded)
      throw new TypeError(
        'exit() has discarded the output of the command: start to read the output before you call exit()',
      );
    if (this.#output) throw new TypeError('the output of a command can be read only once');
    this.#output = this.#read();
    return this.#output;
  }

  async exit(): Promise<number> {
    // Wait until the end of the turn, because `text()` may start to read in it: `Promise.all([command.exit(),
    // command.text()])`.
    // seam: waits for the end of this turn; adds no delay
    setImmediate(() => {
      if (this.#output) return;
      this.#discard(this[Symbol.asyncIterator]());
      this.#isDiscarded = true;
    });
    return this.#exit;
  }

  async text(): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
    const texts = { stdout: '', stderr: '' };
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    for await (const { stream, bytes } of this) texts[stream] += decoders[stream].decode(bytes, { stream: true });
    // An incomplete character at the end of the output becomes a replacement character.
    for (const stream of ['stdout', 'stderr'] as const) texts[stream] += decoders[stream].decode();
    return { exitCode: await this.#exit, ...texts };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#settle?.reject(new TransportError('KW2008', { what: 'the connection to the command was closed' }));
    this.#socket.destroy();
  }

  #discard(output: AsyncIterator<CommandOutput>): void {
    output.next().then(
      ({ done }) => done || this.#discard(output),
      () => {
        // Thrown by `exit`.
      },
    );
  }

  async *#read(): AsyncGenerator<CommandOutput, void, undefined> {
    let isSettled = false;
    try {
      for await (const message of this.#socket.messages()) {
        const bytes = message.subarray(1);
        if (message[0] === channels.status) {
          this.#settle?.resolve(exitCodeOf(bytes));
          isSettled = true;
        }
        // Servers open each stream with an empty message.
        if (bytes.length === 0) continue;
        if (message[0] === channels.stdout) yield { stream: 'stdout', bytes };
        if (message[0] === channels.stderr) yield { stream: 'stderr', bytes };
      }
      if (!isSettled)
        throw new TransportError('KW2003', {
          what: 'the connection to the command ended before its exit status was received',
        });
    } catch (error) {
      if (isSettled && error instanceof TransportError) return;
      const { signal } = this.#options;
      const reason = this.#inputFailure ? this.#inputFailure.error : signal?.aborted ? signal.reason : error;
      this.#settle?.reject(reason);
      throw reason;
    } finally {
      this.#settle?.reject(new TransportError('KW2008', { what: 'the connection to the command was closed' }));
      this.#socket.close();
    }
  }

  /** Runs a sender. If the sender fails, the command ends; otherwise, it would wait for the rest of its input. */
  #pump(sending: Promise<void>): void {
    sending.catch((error: unknown) => {
      this.#inputFailure = { error };
      this.#settle?.reject(error);
      this.#socket.destroy();
    });
  }

  async #sendInput(input: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void> {
    const channel = Uint8Array.of(channels.stdin);
    for await (const piece of this.#untilExit(input)) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
      for (let at = 0; at < bytes.byteLength; at += maxInputBytes) {
        await this.#socket.send(channel, bytes.subarray(at, at + maxInputBytes));
      }
    }
    if (this.#socket.protocol === commandProtocols[0]) {
      await this.#socket.send(Uint8Array.of(channels.close, channels.stdin));
    }
  }

  async #sendSizes(sizes: AsyncIterable<{ readonly columns: number; readonly rows: number }>): Promise<void> {
    for await (const { columns, rows } of this.#untilExit(sizes)) {
      const text = JSON.stringify({ Width: columns, Height: rows });
      await this.#socket.send(Uint8Array.of(channels.resize), Buffer.from(text, 'utf8'));
    }
  }

  /** Iterates over a source until the command has ended, even if the source never yields again. */
  async *#untilExit<T>(source: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    let hasEnded = false;
    let wake = (): void => {};
    const end = (): void => {
      hasEnded = true;
      wake();
    };
    this.#exit.then(end, end);
    const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    for (;;) {
      // Avoids Promise.race with #exit: each race would add a reaction to #exit, which would retain the value until the
      // command ends.
      const next = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        if (hasEnded) wake();
        else Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (next?.done) return;
      if (!next) {
        // Not awaited, because `return()` may never resolve while the source waits for something.
        void Promise.resolve(iterator.return?.()).catch(() => {});
        return;
      }
      yield next.value;
    }
  }
}

/** Reads the final status. @throws StatusError if the command has no exit code. */
function exitCodeOf(bytes: Uint8Array): number {
  const status = JSON.parse(Buffer.from(bytes).toString('utf8')) as Status;
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  if (cause) return Number(cause.message);
  throw new StatusError({ ...status, code: status.code ?? 500 });
}

function isBytes(value: object): value is Uint8Array {
  return value instanceof Uint8Array;
}
