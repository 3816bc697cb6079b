import { poolerRole, poolerSchema } from '../instance/protocol.ts';

/** Query that returns the databases that need the lookup function: PgBouncer runs its `auth_query` in the client's database. */
export const pooledDatabasesQuery = 'SELECT datname::text AS name FROM pg_database WHERE datallowconn ORDER BY datname';

/** Query that returns a row if the poolers' role exists. */
export const poolerRoleQuery = `SELECT FROM pg_roles WHERE rolname = '${poolerRole}'`;

export const createPoolerRole = `CREATE ROLE ${poolerRole} LOGIN`;

/** Query that returns a row if the lookup function exists in the current database. */
export const poolerFunctionQuery = `SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = '${poolerSchema}' AND p.proname = 'user_search'`;

/**
 * Statements that create the lookup function in one database. The function hides superusers and replication roles, so that a
 * pooler cannot obtain their password hashes. It also hides roles whose password has expired, because PgBouncer does not check
 * that.
 */
export const poolerFunctionStatements: readonly string[] = [
  `CREATE SCHEMA IF NOT EXISTS ${poolerSchema}`,
  `CREATE OR REPLACE FUNCTION ${poolerSchema}.user_search(name text, OUT usename name, OUT passwd text) RETURNS SETOF record
   LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
     SELECT rolname, rolpassword FROM pg_authid WHERE rolname = $1 AND rolcanlogin AND NOT rolsuper AND NOT rolreplication
       AND (rolvaliduntil IS NULL OR rolvaliduntil > now()) $$`,
  `REVOKE ALL ON FUNCTION ${poolerSchema}.user_search(text) FROM PUBLIC`,
  `GRANT USAGE ON SCHEMA ${poolerSchema} TO ${poolerRole}`,
  `GRANT EXECUTE ON FUNCTION ${poolerSchema}.user_search(text) TO ${poolerRole}`,
];
