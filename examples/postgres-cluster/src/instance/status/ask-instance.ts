import { request } from 'node:https';
import { statusPort } from '../protocol.ts';
import type { KeyPair } from './certificates.ts';

/** Sends a request to another instance, and returns the response's status code. */
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
        // The certificate is valid for the names of the Services, not for this address. It suffices to trust only the
        // cluster's own authority.
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
