import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres } from './find-postgres.ts';

describe('findPostgres', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'kw-find-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function folder(name: string, programs: readonly string[] = ['initdb', 'postgres']): string {
    const path = join(home, name);
    mkdirSync(path);
    for (const program of programs) writeFileSync(join(path, program), '');
    return path;
  }
  const find = (env: Readonly<Record<string, string>>) =>
    findPostgres({ env: { KUBEWRIGHT_PG_FOLDERS: '', ...env }, platform: 'linux' });

  it('takes PG_BIN, then PATH, then the other folders', () => {
    const [one, two, three] = [folder('one'), folder('two'), folder('three')];
    const env = { PG_BIN: one, PATH: `/nowhere:${two}`, KUBEWRIGHT_PG_FOLDERS: three };
    expect(find(env)).toBe(one);
    expect(find({ ...env, PG_BIN: '/nowhere' })).toBe(two);
    expect(find({ ...env, PG_BIN: '', PATH: '' })).toBe(three);
  });

  it('passes over a folder that has clients only', () => {
    const clients = folder('clients', ['psql', 'initdb']);
    expect(find({ PG_BIN: clients, PATH: clients })).toBeUndefined();
  });
});
