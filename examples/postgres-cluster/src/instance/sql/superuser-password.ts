import { isVerifierOf } from '../../sql/scram-verifier.ts';
import { setPassword } from './primary-duties.ts';
import type { Sql } from './sql-session.ts';

/** A change of the superuser's password. */
export type PasswordStep = 'set' | 'clear' | 'keep';

/**
 * Returns how to change the superuser's password to match the cluster.
 *
 * @param stored - the server's verifier, if the superuser has a password
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

/** Keeps the superuser's password equal to that in the cluster's Secret, or removes it. */
export class SuperuserPassword {
  /** The last state that needed no change. Cached because comparing a password with a verifier is deliberately slow. */
  #kept: string | undefined;

  /** Changes the password on a primary if it differs. */
  async keep(sql: Sql, wanted: { readonly isAllowed: boolean; readonly password: string | undefined }): Promise<void> {
    const [row] = await sql.query("SELECT rolpassword AS stored FROM pg_authid WHERE rolname = 'postgres'");
    const stored = (row?.['stored'] as string | null | undefined) ?? undefined;
    const state = JSON.stringify([stored, wanted]);
    if (state === this.#kept) return;
    const step = passwordStep({ ...wanted, stored });
    if (step === 'keep') this.#kept = state;
    else await setPassword(sql, { role: 'postgres', password: step === 'set' ? wanted.password : undefined });
  }
}
