/**
 * Returns the anchor of a heading as GitHub generates it, so that links work both in the repository and on the site.
 */
export function slugOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
