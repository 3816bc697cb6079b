import type { ClusterAccess } from '../cluster/cluster-access.ts';
import { slotOf } from '../settings/settings-file.ts';
import type { LocalStatus } from '../sql/local-status.ts';
import { askInstance } from '../status/ask-instance.ts';
import type { KeyPair } from '../status/certificates.ts';

/**
 * Returns true if a primary that cannot reach the API server may continue without renewing its Lease. That is safe if
 * it knows all other instances, and each of them confirms that it still follows this primary: no other instance can
 * have become the primary then.
 */
export async function isStillFollowed(
  name: string,
  options: {
    readonly access: ClusterAccess;
    /** Undefined while the server does not respond: this instance may then have replicas that it does not know. */
    readonly status: LocalStatus | undefined;
    readonly client: KeyPair;
    readonly forMs: number;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { access, status, client, forMs, signal } = options;
  if (status === undefined) return false;
  const others = access.othersOf(name);
  const streaming = status.replicas.map((replica) => replica.name);
  const instances = access.cluster?.spec.instances ?? 1;
  if (!knowsAllInstances({ others, streaming, slots: status.slots, instances })) return false;
  return allConfirm(name, { others, forMs, addressOf: (other) => access.addressOf(other), client, signal });
}

/**
 * Requests confirmation from all other instances that they cannot reach the API server and follow this primary. By
 * confirming, an instance promises not to acquire the Lease, so it cannot become the primary.
 */
async function allConfirm(
  name: string,
  options: {
    readonly others: readonly string[];
    readonly addressOf: (name: string) => string | undefined;
    readonly client: KeyPair;
    /** Time for which the other instances must not acquire the Lease. */
    readonly forMs: number;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { others, addressOf, client, forMs, signal } = options;
  const confirmations = others.map(async (other) => {
    const address = addressOf(other);
    if (address === undefined) return false;
    try {
      const path = `/v1/primary?name=${encodeURIComponent(name)}&forMs=${forMs}`;
      return (await askInstance(path, { address, client, signal })) === 204;
    } catch {
      // An instance that does not respond may still reach the API server, and acquire the Lease.
      return false;
    }
  });
  return (await Promise.all(confirmations)).every(Boolean);
}

/**
 * Returns true if `others` is complete: it has the desired number of instances, and contains every replica that streams
 * from this primary or has a slot on it.
 */
export function knowsAllInstances(known: {
  readonly others: readonly string[];
  readonly streaming: readonly string[];
  /** Names of the slots that belong to instances. */
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
