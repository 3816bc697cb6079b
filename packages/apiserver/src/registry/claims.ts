import { Buffer } from 'node:buffer';
import { type KubernetesObject, KubewrightError } from '@kubewright/apimachinery';
import { RevisionMismatchError, type StorageWrite } from '../storage/storage.ts';
import type { Registry } from './registry.ts';

/** Thrown if another object already holds an exclusive value, such as an IP address. Retry with another value. */
export class ClaimTakenError extends KubewrightError {
  override readonly name = 'ClaimTakenError';
  readonly code = 'KW5014';

  constructor(claim: string, owner: string) {
    super({ what: `cannot claim ${claim}`, why: `${owner} holds it`, remedy: 'use another value' });
  }
}

const root = '/registry/claims/';

/** Maximum number of attempts of a write whose claims are taken. */
export const claimTries = 10;

/**
 * Returns the writes that record an object's claims (see {@link ResourceDefinition.claims}) and release the claims that
 * the object no longer needs. Commit these writes together with the object, so that servers that share a storage cannot
 * give the same value to two objects.
 *
 * @throws {@link ClaimTakenError} if another object holds one of the claims.
 */
export async function claimWrites(
  { definition, form, services: { storage } }: Registry,
  change: {
    readonly key: string;
    readonly before: KubernetesObject | undefined;
    readonly after: KubernetesObject | undefined;
  },
): Promise<readonly StorageWrite[]> {
  const { claims } = definition;
  if (!claims) return [];
  const held = new Set(change.before && claims(change.before));
  const wanted = new Set(change.after && claims(change.after));
  const writes: StorageWrite[] = [];
  for (const name of held) {
    if (wanted.has(name)) continue;
    const stored = await storage.get(root + name);
    if (stored) writes.push({ key: stored.key, expected: stored.revision, bytes: undefined });
  }
  for (const name of wanted) {
    if (held.has(name)) continue;
    const stored = await storage.get(root + name);
    const owner = stored && Buffer.from(stored.bytes).toString();
    const holder = owner && owner !== change.key ? await storage.get(owner) : undefined;
    // The claim may be stale: a program that does not maintain claims may have deleted the owner or changed its value.
    if (owner && holder && claims(form.object(holder)).includes(name)) throw new ClaimTakenError(name, owner);
    writes.push({ key: root + name, expected: stored?.revision ?? 0, bytes: Buffer.from(change.key) });
  }
  return writes;
}

/** Waits until this server has observed everything that other servers have stored for a resource, including claims. */
export async function catchUp({ definition, services }: Registry): Promise<void> {
  await services.storage.list({ prefix: definition.storagePrefix, limit: 1 });
}

/** Reports whether a write failed because another object holds the claim or because the claim has just changed. */
export function isClaimRace(error: unknown): boolean {
  return error instanceof ClaimTakenError || (error instanceof RevisionMismatchError && error.key.startsWith(root));
}
