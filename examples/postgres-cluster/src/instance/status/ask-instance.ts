import { request } from 'node:https';
import { statusPort } from '../protocol.ts';
import type { KeyPair } from './certificates.ts';

/** Sends a request to another instance, and returns the status code of the response. */
export function askInstance(
  path: string,
  options: { readonly address: string; readonly client: KeyPair; readonly signal: AbortSignal },
): Promise<number> {
  const { address, client, signal } = options;
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: address,
        port: statusPort,
        path,
        cert: client.certificate,
        key: client.key,
        ca: client.authorities,
        // Signed by the cluster's own authority; the certificate names the Services, and not this address.
        checkServerIdentity: () => undefined,
        signal,
        agent: false,
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    call.once('error', reject).end();
  });
}
