import { sameJson } from '@kubewright/apimachinery/internal';
import type { Draft } from './strategy.ts';

/**
 * Removes duplicate owner references and warns about them. `when` is inserted into the warning if admission added the duplicates.
 */
export function dedupOwnerReferences(draft: Draft, warn: (text: string) => void, when = ''): void {
  const owners = draft.metadata['ownerReferences'];
  if (!Array.isArray(owners) || owners.length < 2) return;
  const unique: unknown[] = [];
  const seen = new Map<unknown, unknown[]>();
  for (const owner of owners) {
    // Equal references have equal UIDs, so only references with the same UID are compared.
    const uid = (owner as { readonly uid?: unknown } | null)?.uid;
    const same = seen.get(uid);
    if (same?.some((other) => sameJson(other, owner))) continue;
    if (same) same.push(owner);
    else seen.set(uid, [owner]);
    unique.push(owner);
  }
  if (unique.length === owners.length) return;
  draft.metadata['ownerReferences'] = unique;
  const repeated = owners.filter((owner, index) => owners.findIndex((other) => sameJson(other, owner)) < index);
  const uids = [...new Set(repeated.map((owner) => String((owner as { readonly uid?: unknown }).uid ?? '')))];
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`,
  );
}
