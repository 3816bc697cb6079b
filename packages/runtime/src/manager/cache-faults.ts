/** Returns the reasons why caches are unreliable, as worded in `/readyz`; empty if they are reliable. */
export function cacheFaults(informers: readonly { readonly fault: string | undefined }[]): readonly string[] {
  return informers.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
}
