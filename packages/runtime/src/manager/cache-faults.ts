/** What is looked at of an informer. */
interface Followed {
  readonly kind: { readonly kind: string };
  readonly hasSynced: boolean;
  readonly ageMs: number;
}

/**
 * A cache that heard nothing from the server for so long is not fresh, in milliseconds. Twice the silence after which a
 * watch is opened again: one that is merely quiet does not get here.
 */
const staleMs = 300_000;

/** Says, in the words of `/readyz`, why caches cannot be relied on; nothing when they can. */
export function cacheFaults(informers: readonly Followed[]): readonly string[] {
  const waiting = informers.filter((each) => !each.hasSynced);
  const stale = informers.filter((each) => each.hasSynced && each.ageMs > staleMs);
  return [
    ...(waiting.length > 0 ? [`not listed yet: ${waiting.map((each) => each.kind.kind).join(', ')}`] : []),
    ...stale.map((each) => `${each.kind.kind} not heard of for ${Math.round(each.ageMs / 1000)} s`),
  ];
}
