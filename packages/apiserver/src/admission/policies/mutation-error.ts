/** Thrown when a mutation cannot be computed or applied; the policy's failure policy decides what that means. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}
