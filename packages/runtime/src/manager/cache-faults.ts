/** Says, in the words of `/readyz`, why caches cannot be relied on; nothing when they can. */
export function cacheFaults(informers: readonly { readonly fault: string | undefined }[]): readonly string[] {
  return informers.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
}
