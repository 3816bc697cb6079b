/** The reason for the failure of an archive operation. */
export type ArchiveErrorReason =
  /** The store does not respond, or responds with an internal error. Retrying may help. */
  | 'Unavailable'
  /** The store rejects the credentials, or the directory is not accessible. */
  | 'Forbidden'
  /** The archive belongs to another database system, or already contains this file name with different content. */
  | 'Conflict'
  /** A file in the archive is missing or damaged. */
  | 'Corrupted'
  /** The archive ends before the recovery target. Retrying helps only if more WAL is archived. */
  | 'TargetNotReached'
  /** The volume is too small for a restored backup. */
  | 'NoSpace'
  /** The settings are invalid. */
  | 'Invalid';

/** Thrown if an archive operation fails. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly reason: ArchiveErrorReason;

  constructor(reason: ArchiveErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
