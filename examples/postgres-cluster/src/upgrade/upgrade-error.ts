/** Thrown if data cannot be upgraded. The data is unchanged; retrying does not help. */
export class UpgradeError extends Error {
  override readonly name = 'UpgradeError';
}
