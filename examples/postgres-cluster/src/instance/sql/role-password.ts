import { isVerifierOf } from '../../sql/scram-verifier.ts';
import { setPassword } from './primary-duties.ts';
import type { Sql } from './sql-session.ts';

/** A change of a role's password. */
export type PasswordStep = 'set' | 'clear' | 'keep';

/**
 * Returns how to change a role's password to match its Secret.
 *
 * @param stored - the server's verifier, if the role has a password
 * @param isAllowed - false if the role must have no password
 * @param password - the Secret's password; undefined until it is mounted
 */
export function passwordStep({
  isAllowed,
  stored,
  password,
}: {
  readonly isAllowed: boolean;
  readonly stored: string | undefined;
  readonly password: string | undefined;
}): PasswordStep {
  if (!isAllowed) return stored === undefined ? 'keep' : 'clear';
  if (password === undefined || password === '') return 'keep';
  return stored !== undefined && isVerifierOf(stored, password) ? 'keep' : 'set';
}

/** Keeps a role's password equal to the password in a Secret, or removes it. */
export class RolePassword {
  /** The last state that needed no change. Cached because comparing a password with a verifier is deliberately slow. */
  #kept: string | undefined;

  /** Changes the password on a primary if it differs. */
  async keep(
    sql: Sql,
    wanted: { readonly role: string; readonly isAllowed: boolean; readonly password: string | undefined },
  ): Promise<void> {
    const { role, password } = wanted;
    const [row] = await sql.query('SELECT rolpassword AS stored FROM pg_authid WHERE rolname = $1', [role]);
    // Users may drop the owner of the application's database.
    if (!row) return;
    const stored = (row['stored'] as string | null) ?? undefined;
    const state = JSON.stringify([stored, wanted]);
    if (state === this.#kept) return;
    const step = passwordStep({ ...wanted, stored });
    if (step === 'keep') this.#kept = state;
    else await setPassword(sql, { role, password: step === 'set' ? password : undefined });
  }
}
