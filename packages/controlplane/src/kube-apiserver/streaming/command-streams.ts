import { badRequest, type Clock, type Status } from '@kubewright/apimachinery';
import type { ApiRequest } from '@kubewright/apiserver';
import { ExecChannels, execProtocols } from './exec-channels.ts';
import { openSpdyCommand, spdyCommandProtocols } from './spdy-command.ts';
import { acceptSpdy, wantsSpdy } from './spdy-upgrade.ts';
import type { TerminalSize } from './terminal-sizes.ts';
import { acceptWebSocket, wantsWebSocket } from './web-socket.ts';

/** The streams between a client and a command or container, over a WebSocket or SPDY. */
export interface CommandStreams {
  /** The client's input. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** The size of the client's terminal, initially and after each change. */
  readonly sizes: AsyncIterable<TerminalSize>;
  /** Sends output. Resolves when the client can take more, or has disconnected. */
  stdout(chunk: Uint8Array): Promise<void>;
  stderr(chunk: Uint8Array): Promise<void>;
  /** Sends the final `Status` after all output, then closes the connection. */
  end(status: CommandStatus): void;
}

/** The final status of a command. */
export type CommandStatus = Partial<Omit<Status, 'reason'>> & { readonly reason?: string };

/** The streams that a client requests. */
export interface RequestedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** True if the command runs on a terminal. */
  readonly tty: boolean;
}

/** Checks that a request offers to upgrade to a protocol for commands. @throws StatusError 400 */
export function checkCommandUpgrade(request: ApiRequest): void {
  if (!wantsWebSocket(request) && !wantsSpdy(request)) throw badRequest('Upgrade request required');
}

/**
 * Upgrades the connection to a protocol for remote commands (WebSocket or SPDY).
 *
 * @param options - `closed` is called when the client disconnects.
 * @throws StatusError 400 if the client offers no supported protocol.
 */
export async function openCommandStreams(
  request: ApiRequest,
  options: { readonly wanted: RequestedStreams; readonly clock: Clock; readonly closed: () => void },
): Promise<CommandStreams> {
  if (wantsSpdy(request)) {
    const { duplex } = acceptSpdy(request, spdyCommandProtocols);
    return openSpdyCommand(duplex, options);
  }
  const { socket, protocol } = await acceptWebSocket(request, execProtocols);
  return new ExecChannels(socket, { ...options, protocol });
}
