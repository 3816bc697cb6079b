/** Certificate lifetimes in milliseconds. */
export interface AuthorityLifetimes {
  /** @defaultValue a year */
  readonly authorityMs?: number;
  /**
   * Remaining lifetime of the newest authority, in milliseconds, below which a new authority is created.
   * @defaultValue 120 days
   */
  readonly renewAuthorityMs?: number;
  /** @defaultValue 90 days */
  readonly servingMs?: number;
  /** @defaultValue 30 days */
  readonly renewServingMs?: number;
  /**
   * How long a new authority is trusted before it signs, and how long an old authority stays trusted after its last
   * certificate is out of use, in milliseconds. This gives every API server and replica time to pick up the change.
   *
   * @defaultValue ten minutes
   */
  readonly overlapMs?: number;
}

const dayMs = 86_400_000;

/**
 * Fills in default lifetimes.
 *
 * @throws TypeError for lifetimes that would leave a gap without a valid certificate.
 */
export function resolveLifetimes(given: AuthorityLifetimes = {}): Required<AuthorityLifetimes> {
  const { authorityMs = 365 * dayMs, servingMs = 90 * dayMs, overlapMs = 600_000 } = given;
  const { renewAuthorityMs = 120 * dayMs, renewServingMs = 30 * dayMs } = given;
  if (renewAuthorityMs >= authorityMs || renewServingMs >= servingMs)
    throw new TypeError(
      'invalid certificate lifetimes: renewAuthorityMs must be less than authorityMs, and renewServingMs less than servingMs',
    );
  if (overlapMs >= renewAuthorityMs || overlapMs >= renewServingMs)
    throw new TypeError(
      'invalid certificate lifetimes: overlapMs must be less than renewAuthorityMs and renewServingMs',
    );
  return { authorityMs, servingMs, overlapMs, renewAuthorityMs, renewServingMs };
}
