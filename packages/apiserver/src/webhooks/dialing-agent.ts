import { Agent, type AgentOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Opens a connection to an address, such as a pod's address in another network. */
export type Dial = (address: { readonly host: string; readonly port: number }) => Promise<Socket>;

/** Returns an agent that opens connections with `dial`, or with this process's own sockets if `dial` is undefined. */
export function dialingAgent(options: AgentOptions, dial: Dial | undefined): Agent {
  return dial ? new DialingAgent(options, dial) : new Agent(options);
}

class DialingAgent extends Agent {
  readonly #dial: Dial;

  constructor(options: AgentOptions, dial: Dial) {
    super(options);
    this.#dial = dial;
  }

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { host = '', port = 443 } = options;
    this.#dial({ host, port }).then(
      (socket) => callback?.(null, connectTls({ ...options, socket })),
      // Node passes no stream along with an error.
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}
