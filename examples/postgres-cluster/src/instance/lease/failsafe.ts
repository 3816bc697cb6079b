import { slotOf } from '../settings/settings-file.ts';
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
    /** How long they must not acquire it. */
    readonly forMs: number;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { others, addressOf, client, forMs, signal } = options;
  const answers = others.map(async (other) => {
    const address = addressOf(other);
    if (address === undefined) return false;
    try {
      const path = `/v1/primary?name=${encodeURIComponent(name)}&forMs=${forMs}`;
      return (await askInstance(path, { address, client, signal })) === 204;
    } catch {
      // An instance that does not respond may be able to reach the API server.
      return false;
    }
  });
  return (await Promise.all(answers)).every(Boolean);
}

/**
 * True if `others` is complete: it has the desired number of instances, and every replica that streams from this one, or has a slot on it.
 */
export function knowsAll(known: {
  readonly others: readonly string[];
  readonly streaming: readonly string[];
  /** Names of the slots of instances. */
  readonly slots: readonly string[];
  readonly instances: number;
}): boolean {
  const { others, streaming, slots, instances } = known;
  const knownSlots = new Set(others.map(slotOf));
  return (
    others.length + 1 >= instances &&
    streaming.every((name) => others.includes(name)) &&
    slots.every((slot) => knownSlots.has(slot))
  );
}
