/** Thrown when a mutation cannot be computed or applied; the policy's `failurePolicy` decides whether the request fails. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}
