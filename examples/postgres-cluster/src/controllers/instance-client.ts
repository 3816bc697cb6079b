import { request } from 'node:https';
import { type InstanceReport, statusPort } from '../instance/protocol.ts';

/** Address of an instance manager, and the certificates to connect with. */
export interface InstanceAddress {
  readonly instance: string;
  readonly podIP: string;
  /** @defaultValue the port of the protocol */
  readonly port?: number;
  /** Host name that the server's certificate must match. */
  readonly serverName: string;
  /** The operator's client certificate, PEM. `authorities` are the CA certificates to trust. */
  readonly certificate: string;
  readonly key: string;
  readonly authorities: string;
}

/** Calls instance managers. The protocol is in `src/instance/protocol.ts`. */
export interface InstanceClient {
  report(address: InstanceAddress, options: { readonly signal: AbortSignal }): Promise<InstanceReport>;
  /** Requests a restart of the server. Later reports show the result. */
  restart(address: InstanceAddress, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Thrown if an instance cannot be reached, or responds with an error, too slowly, or with too much data. */
export class InstanceError extends Error {
  override readonly name = 'InstanceError';
  /** Status code of the response; undefined if there was no complete response. */
  readonly statusCode: number | undefined;

  constructor(message: string, { statusCode, cause }: { readonly statusCode?: number; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.statusCode = statusCode;
  }
}

/** Calls instances over HTTPS with the operator's client certificate. */
export const httpsInstances: InstanceClient = {
  // The server builds the response from the same type.
  report: async (address, { signal }) =>
    JSON.parse(
      await callInstance(address, { method: 'GET', path: '/v1/status', timeoutMs: 2_000, signal }),
    ) as InstanceReport,
  restart: async (address, { signal }) => {
    await callInstance(address, { method: 'POST', path: '/v1/restart', timeoutMs: 5_000, signal });
  },
};

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Timeout of the whole call, from connecting to the end of the response. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Maximum size of a response. */
const maxBytes = 1024 * 1024;

/** Sends a request to an instance, and returns the body of the response. @throws InstanceError */
export function callInstance(address: InstanceAddress, { method, path, timeoutMs, signal }: Call): Promise<string> {
  const { podIP: host, port = statusPort, serverName: servername, certificate: cert, key, authorities: ca } = address;
  return new Promise((resolve, reject) => {
    const sent = request(
      // The server's certificate contains the Service's name, not the pod's address.
      { host, port, method, path, servername, cert, key, ca, agent: false, signal },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > maxBytes) fail(`responded with more than ${maxBytes} bytes`);
        });
        response.on('error', failWith);
        response.on('end', () => {
          const { statusCode = 0 } = response;
          const body = Buffer.concat(chunks).toString('utf8');
          if (statusCode >= 200 && statusCode < 300) resolve(body);
          else
            reject(
              new InstanceError(
                `instance ${address.instance}: ${method} ${path} failed with status ${statusCode}: ${body}`,
                { statusCode },
              ),
            );
        });
      },
    );
    const fail = (why: string): void => {
      reject(new InstanceError(`instance ${address.instance}: ${method} ${path} ${why}`));
      sent.destroy();
    };
    const failWith = (cause: Error): void => {
      const what = `instance ${address.instance}: ${method} ${path}`;
      reject(signal.aborted ? cause : new InstanceError(`${what} failed: ${cause.message}`, { cause }));
    };
    // The request's own timeout starts only after the connection is established, so it does not cover a lost node.
    // seam: the deadline of a real connection
    const deadline = setTimeout(() => fail(`timed out after ${timeoutMs} ms`), timeoutMs);
    sent.on('close', () => clearTimeout(deadline));
    sent.on('error', failWith);
    sent.end();
  });
}
