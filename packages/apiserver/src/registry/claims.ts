import { Buffer } from 'node:buffer';
import { type KubernetesObject, KubewrightError } from '@kubewright/apimachinery';
import { RevisionMismatchError, type StorageWrite } from '../storage/storage.ts';
import type { Registry } from './registry.ts';

/** Thrown if another object already holds something exclusive, such as an address. Retry with another value. */
export class ClaimTakenError extends KubewrightError {
  override readonly name = 'ClaimTakenError';
  readonly code = 'KW5014';

  constructor(claim: string, owner: string) {
    super({ what: `cannot claim ${claim}`, why: `${owner} holds it`, remedy: 'use another one' });
  }
}

const root = '/registry/claims/';

/** Maximum number of attempts of a write whose claims are taken. */
export const claimTries = 10;

/**
 * Returns the writes by which an object takes its claims (see {@link ResourceDefinition.claims}) and releases those that it no
 * longer holds. They belong in the commit of the object itself, so servers on one storage cannot give the same thing to two
 * objects.
 *
 * @throws {@link ClaimTakenError} if another object holds it.
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
    // A program that does not know claims may have deleted the owner, or given its claim to another object.
    if (owner && holder && claims(form.object(holder)).includes(name)) throw new ClaimTakenError(name, owner);
    writes.push({ key: root + name, expected: stored?.revision ?? 0, bytes: Buffer.from(change.key) });
  }
  return writes;
}

/** Waits until this server has seen the objects of a resource that other servers have stored, including their claims. */
export async function catchUp({ definition, services }: Registry): Promise<void> {
  await services.storage.list({ prefix: definition.storagePrefix, limit: 1 });
}

/** True if a commit failed because a claim was made or released at the same time. */
export function isClaimRace(error: unknown): boolean {
  return error instanceof ClaimTakenError || (error instanceof RevisionMismatchError && error.key.startsWith(root));
}
