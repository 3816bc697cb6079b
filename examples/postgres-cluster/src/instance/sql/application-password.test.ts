import { expect, it } from 'vitest';
import { createApplicationDatabase } from './primary-duties.ts';
import type { Sql } from './sql-session.ts';

it('createApplicationDatabase sends a SCRAM verifier, never the password', async () => {
  const statements: string[] = [];
  const sql: Sql = {
    async query(text, values = []) {
      statements.push([text, ...values].join(' '));
      return [];
    },
    async [Symbol.asyncDispose]() {},
  };
  await createApplicationDatabase(sql, { name: 'shop', owner: 'app', password: 'pencil' });
  expect(statements.join('\n')).not.toContain('pencil');
  const verifier = String.raw`SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=`;
  expect(statements).toContainEqual(expect.stringMatching(new RegExp(`^ALTER ROLE "app" PASSWORD '${verifier}'$`)));
});
