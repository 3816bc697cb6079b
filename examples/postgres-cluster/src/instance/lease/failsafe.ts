import { askInstance } from '../status/ask-instance.ts';
import type { KeyPair } from '../status/certificates.ts';

/**
 * Requests all other instances to confirm that they cannot reach the API server, and follow this primary. Each one that does promises
 * not to acquire the Lease, so none of them can become a primary.
 */
export async function allConfirm(
  name: string,
  options: {
    readonly others: readonly string[];
    readonly addressOf: (name: string) => string | undefined;
    readonly client: KeyPair;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { others, addressOf, client, signal } = options;
  const answers = others.map(async (other) => {
    const address = addressOf(other);
    if (address === undefined) return false;
    try {
      return (await askInstance(`/v1/primary?name=${encodeURIComponent(name)}`, { address, client, signal })) === 204;
    } catch {
      // An instance that does not answer may have reached the API server.
      return false;
    }
  });
  return (await Promise.all(answers)).every(Boolean);
}
