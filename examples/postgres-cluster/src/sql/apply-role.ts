import { randomBytes } from 'node:crypto';
import type { PostgresRoleSpec } from '../api/v1/postgres-role.ts';
import type { Sql } from '../instance/sql/sql-session.ts';
import { type ExistingRole, existingRoleQuery, roleStatements } from './role-statements.ts';
import { isVerifierOf, scramVerifier } from './scram-verifier.ts';
import { unlogged } from './unlogged.ts';

/**
 * Creates a role or changes it to match its spec, on a superuser's session. The password is compared with the server's
 * verifier, because a failover can lose a password change.
 */
export async function applyRole(
  sql: Sql,
  spec: PostgresRoleSpec,
  { password }: { readonly password: string | undefined },
): Promise<void> {
  const [found] = await sql.query(existingRoleQuery, [spec.name]);
  // The query returns this shape.
  const existing = found as ExistingRole | undefined;
  const isSet = password === undefined || (existing?.verifier && isVerifierOf(existing.verifier, password));
  const verifier = isSet ? undefined : scramVerifier(password, randomBytes(16));
  if (verifier !== undefined) for (const setting of unlogged) await sql.query(setting);
  for (const statement of roleStatements(spec, { existing, verifier })) await sql.query(statement);
}
