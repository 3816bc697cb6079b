import { describe, expect, it } from 'vitest';
import type { PostgresDatabaseSpec } from '../api/v1/postgres-database.ts';
import type { PostgresRoleSpec } from '../api/v1/postgres-role.ts';
import { databaseStatements, type ExistingDatabase, extensionStatements } from './database-statements.ts';
import { type ExistingRole, roleStatements } from './role-statements.ts';
import { scramVerifier } from './scram-verifier.ts';

const plain: ExistingRole = {
  login: false,
  superuser: false,
  createDatabases: false,
  createRoles: false,
  replication: false,
  inherit: true,
  connectionLimit: -1,
  memberOf: [],
};
const until = '2027-01-01T00:00:00Z';

describe('roleStatements', () => {
  type Row = [
    what: string,
    spec: Partial<PostgresRoleSpec>,
    existing: ExistingRole | undefined,
    statements: readonly string[],
  ];
  it.each<Row>([
    [
      'creates a role',
      { login: true },
      undefined,
      ['CREATE ROLE "app" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION INHERIT'],
    ],
    ['leaves a role that matches the spec unchanged', {}, plain, []],
    [
      'changes only attributes that differ',
      { createDatabases: true },
      { ...plain, login: true },
      ['ALTER ROLE "app" NOLOGIN CREATEDB'],
    ],
    [
      'sets limits',
      { connectionLimit: 5, validUntil: until },
      plain,
      [`ALTER ROLE "app" CONNECTION LIMIT 5 VALID UNTIL '${until}'`],
    ],
    [
      'does not set limits again',
      { connectionLimit: 5, validUntil: until },
      { ...plain, connectionLimit: 5, validUntil: new Date(until) },
      [],
    ],
    [
      'removes an expiry time',
      {},
      { ...plain, validUntil: new Date(until) },
      [`ALTER ROLE "app" VALID UNTIL 'infinity'`],
    ],
    [
      'grants and revokes memberships',
      { memberOf: ['readers', 'writers'] },
      { ...plain, memberOf: ['owners', 'readers'] },
      ['GRANT "writers" TO "app"', 'REVOKE "owners" FROM "app"'],
    ],
    ['quotes names', { name: 'a"; DROP', memberOf: ['b"c'] }, plain, ['GRANT "b""c" TO "a""; DROP"']],
  ])('%s', (_, spec, existing, statements) => {
    expect(roleStatements({ cluster: 'shop', name: 'app', ...spec }, { existing })).toEqual(statements);
  });

  it('sets a password as a SCRAM verifier', () => {
    expect(roleStatements({ cluster: 'shop', name: 'app' }, { existing: plain, verifier: 'SCRAM-SHA-256$x' })).toEqual([
      `ALTER ROLE "app" PASSWORD 'SCRAM-SHA-256$x'`,
    ]);
  });
});

describe('databaseStatements', () => {
  type Row = [
    what: string,
    spec: Partial<PostgresDatabaseSpec>,
    existing: ExistingDatabase | undefined,
    statements: readonly string[],
  ];
  it.each<Row>([
    ['creates a database', {}, undefined, ['CREATE DATABASE "orders" OWNER "app" CONNECTION LIMIT -1']],
    ['leaves a database that matches the spec unchanged', {}, { owner: 'app', connectionLimit: -1 }, []],
    ['changes the owner', {}, { owner: 'old', connectionLimit: -1 }, ['ALTER DATABASE "orders" OWNER TO "app"']],
    [
      'changes the connection limit',
      { connectionLimit: 9 },
      { owner: 'app', connectionLimit: -1 },
      ['ALTER DATABASE "orders" CONNECTION LIMIT 9'],
    ],
  ])('%s', (_, spec, existing, statements) => {
    expect(databaseStatements({ cluster: 'shop', name: 'orders', owner: 'app', ...spec }, existing)).toEqual(
      statements,
    );
  });

  it('installs missing extensions', () => {
    const spec = { cluster: 'shop', name: 'orders', owner: 'app', extensions: ['pg_trgm', 'uuid-ossp'] };
    expect(extensionStatements(spec, ['plpgsql', 'pg_trgm'])).toEqual(['CREATE EXTENSION "uuid-ossp" CASCADE']);
  });
});

// The salt is from the example in RFC 7677 §3. The expected keys verify the example's client proof and server
// signature.
it('scramVerifier returns the verifier of RFC 7677', () => {
  expect(scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'))).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});
