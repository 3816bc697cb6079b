/** Thrown if data cannot be upgraded. The data is unchanged, and retrying leads to the same result. */
export class UpgradeError extends Error {
  override readonly name = 'UpgradeError';
}
