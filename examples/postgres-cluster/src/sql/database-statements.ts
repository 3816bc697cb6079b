import pg from 'pg';
import type { PostgresDatabaseSpec } from '../api/v1/postgres-database.ts';

/** The current state of a database in PostgreSQL. */
export interface ExistingDatabase {
  readonly owner: string;
  readonly connectionLimit: number;
}

const { escapeIdentifier: name } = pg;

/** Returns the statements that make a database match its spec, except for extensions. Empty if nothing differs. */
export function databaseStatements(
  { name: database, owner, connectionLimit = -1 }: PostgresDatabaseSpec,
  existing: ExistingDatabase | undefined,
): readonly string[] {
  if (!existing) return [`CREATE DATABASE ${name(database)} OWNER ${name(owner)} CONNECTION LIMIT ${connectionLimit}`];
  return [
    ...(existing.owner === owner ? [] : [`ALTER DATABASE ${name(database)} OWNER TO ${name(owner)}`]),
    ...(existing.connectionLimit === connectionLimit
      ? []
      : [`ALTER DATABASE ${name(database)} CONNECTION LIMIT ${connectionLimit}`]),
  ];
}

/** Returns the statements that install missing extensions. Run them in the database itself. */
export function extensionStatements(
  { extensions = [] }: PostgresDatabaseSpec,
  existing: readonly string[],
): readonly string[] {
  return extensions.filter((each) => !existing.includes(each)).map((each) => `CREATE EXTENSION ${name(each)} CASCADE`);
}

/** Query that returns an {@link ExistingDatabase}. */
export const existingDatabaseQuery = `SELECT pg_get_userbyid(datdba)::text AS owner, datconnlimit AS "connectionLimit"
FROM pg_database WHERE datname = $1`;
