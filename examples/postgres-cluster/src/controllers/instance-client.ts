import { request } from 'node:https';
import { type InstanceReport, statusPort } from '../instance/protocol.ts';

/** How the operator reaches an instance. */
export interface InstanceAddress {
  readonly instance: string;
  readonly podIP: string;
  /** @defaultValue the port of the protocol */
  readonly port?: number;
  /** Name in the server's certificate. */
  readonly serverName: string;
  /** PEM: the operator's client certificate, and the authorities to trust. */
  readonly certificate: string;
  readonly key: string;
  readonly authorities: string;
}

/** Talks to instance managers, see `src/instance/protocol.ts`. */
export interface InstanceClient {
  report(address: InstanceAddress, options: { readonly signal: AbortSignal }): Promise<InstanceReport>;
  /** Requests a restart of the server. Later reports show the result. */
  restart(address: InstanceAddress, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Thrown if an instance replies with an error. */
export class InstanceError extends Error {
  override readonly name = 'InstanceError';
  /** Status code of the response; missing if there was none. */
  readonly statusCode: number | undefined;

  constructor(message: string, statusCode?: number) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Calls instances over HTTPS with the operator's client certificate. */
export const httpsInstances: InstanceClient = {
  // The type is the protocol; both sides are built from it.
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
  /** Limit for the whole call, from the connection to the end of the response. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Limit of a response's size. */
const maxBytes = 1024 * 1024;

/** Sends a request to an instance, and returns the body of the response. @throws InstanceError */
export function callInstance(address: InstanceAddress, { method, path, timeoutMs, signal }: Call): Promise<string> {
  const { podIP: host, port = statusPort, serverName: servername, certificate: cert, key, authorities: ca } = address;
  return new Promise((resolve, reject) => {
    const sent = request(
      // Checks the certificate for the Service's name, because a pod's address is not in it.
      { host, port, method, path, servername, cert, key, ca, agent: false, signal },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > maxBytes) fail(`sent more than ${maxBytes} bytes`);
        });
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0 } = response;
          const body = Buffer.concat(chunks).toString('utf8');
          if (statusCode >= 200 && statusCode < 300) resolve(body);
          else reject(new InstanceError(`${method} ${path} failed with ${statusCode}: ${body}`, statusCode));
        });
      },
    );
    const fail = (why: string): void => {
      reject(new InstanceError(`${method} ${path} ${why}`));
      sent.destroy();
    };
    // The timeout of the request itself begins only after the connection: a lost node would never reply.
    // seam: the deadline of a real connection
    const deadline = setTimeout(() => fail(`timed out after ${timeoutMs} ms`), timeoutMs);
    sent.on('close', () => clearTimeout(deadline));
    sent.on('error', reject);
    sent.end();
  });
}
