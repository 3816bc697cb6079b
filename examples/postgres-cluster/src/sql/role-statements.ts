import pg from 'pg';
import type { PostgresRoleSpec } from '../api/v1/postgres-role.ts';

/** The current state of a role in PostgreSQL. */
export interface ExistingRole {
  readonly login: boolean;
  readonly superuser: boolean;
  readonly createDatabases: boolean;
  readonly createRoles: boolean;
  readonly replication: boolean;
  readonly inherit: boolean;
  readonly connectionLimit: number;
  readonly validUntil?: Date | undefined;
  readonly memberOf: readonly string[];
  /** Hash of the password, usually a SCRAM verifier; null if the role has no password. */
  readonly verifier?: string | null;
}

const { escapeIdentifier: name, escapeLiteral: text } = pg;

/**
 * Returns the statements that make a role match its spec. Empty if nothing differs.
 *
 * @param verifier - SCRAM verifier of the password to set, if it changes
 */
export function roleStatements(
  spec: PostgresRoleSpec,
  { existing, verifier }: { readonly existing?: ExistingRole | undefined; readonly verifier?: string | undefined },
): readonly string[] {
  const { memberOf = [] } = spec;
  const options = changedOptions(spec, existing);
  if (verifier !== undefined) options.push(`PASSWORD ${text(verifier)}`);
  const members = existing?.memberOf ?? [];
  const alter = options.length > 0 || !existing;
  return [
    ...(alter ? [`${existing ? 'ALTER' : 'CREATE'} ROLE ${name(spec.name)} ${options.join(' ')}`.trim()] : []),
    ...memberOf.filter((role) => !members.includes(role)).map((role) => `GRANT ${name(role)} TO ${name(spec.name)}`),
    ...members.filter((role) => !memberOf.includes(role)).map((role) => `REVOKE ${name(role)} FROM ${name(spec.name)}`),
  ];
}

function changedOptions(spec: PostgresRoleSpec, existing: ExistingRole | undefined): string[] {
  const flags = [
    ['LOGIN', spec.login ?? false, existing?.login],
    ['SUPERUSER', spec.superuser ?? false, existing?.superuser],
    ['CREATEDB', spec.createDatabases ?? false, existing?.createDatabases],
    ['CREATEROLE', spec.createRoles ?? false, existing?.createRoles],
    ['REPLICATION', spec.replication ?? false, existing?.replication],
    ['INHERIT', spec.inherit ?? true, existing?.inherit],
  ] as const;
  const options = flags.flatMap(([option, wanted, is]) => (wanted === is ? [] : [wanted ? option : `NO${option}`]));
  const { connectionLimit = -1 } = spec;
  if (connectionLimit !== (existing?.connectionLimit ?? -1)) options.push(`CONNECTION LIMIT ${connectionLimit}`);
  const until = spec.validUntil === undefined ? undefined : Date.parse(spec.validUntil);
  if (until !== existing?.validUntil?.getTime()) options.push(`VALID UNTIL ${text(spec.validUntil ?? 'infinity')}`);
  return options;
}

/** Query that returns an {@link ExistingRole}. An infinite expiry is returned as NULL. */
export const existingRoleQuery = `SELECT rolcanlogin AS login, rolsuper AS superuser, rolcreatedb AS "createDatabases",
  rolcreaterole AS "createRoles", rolreplication AS replication, rolinherit AS inherit, rolconnlimit AS "connectionLimit",
  CASE WHEN isfinite(rolvaliduntil) THEN rolvaliduntil END AS "validUntil",
  ARRAY(SELECT g.rolname::text FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid ORDER BY 1) AS "memberOf",
  rolpassword AS verifier
FROM pg_authid r WHERE rolname = $1`;
