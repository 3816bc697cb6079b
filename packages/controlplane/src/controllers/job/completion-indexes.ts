import type { Pod } from '@kubewright/apimachinery/core/v1';

export const indexKey = 'batch.kubernetes.io/job-completion-index';

/** The index that a pod of an indexed job works on. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Writes indexes as a job's status does: `1,3-5,7`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let last = i;
    while (sorted[last + 1] === (sorted[last] ?? 0) + 1) last++;
    // Two in a row are written as two.
    const between = last === i + 1 ? ',' : '-';
    parts.push(last === i ? `${sorted[i]}` : `${sorted[i]}${between}${sorted[last]}`);
    i = last + 1;
  }
  return parts.join(',');
}

/** Reads what {@link formatIndexes} writes; indexes from `limit` on are left out. */
export function parseIndexes(text: string | undefined, limit: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!match) continue;
    const end = Math.min(Number(match[2] ?? match[1]), limit - 1);
    for (let index = Number(match[1]); index <= end; index++) indexes.add(index);
  }
  return indexes;
}
