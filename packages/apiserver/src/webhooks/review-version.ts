/** The versions of AdmissionReview and ConversionReview that the server sends. */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

/** Returns the review version for a webhook: the first supported version in its list. */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((version) => reviewVersions.includes(version));
}
