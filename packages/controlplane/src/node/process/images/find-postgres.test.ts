import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres } from './find-postgres.ts';

describe('findPostgres', () => {
  let home: string;
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'kw-find-')));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function folder(name: string, programs: readonly string[] = ['initdb', 'postgres']): string {
    const path = join(home, name);
    mkdirSync(path);
    for (const program of programs) writeFileSync(join(path, program), '');
    return path;
  }
  /** Calls findPostgres with a fake that derives a folder's version from its name. */
  const find = async (env: Readonly<Record<string, string>>, major?: string) => {
    const versionOf = async (path: string) => {
      if (path.includes('broken')) throw new Error('does not run');
      return `${basename(path)}.1`;
    };
    const options = { env: { KUBEWRIGHT_PG_FOLDERS: '', ...env }, platform: 'linux', versionOf, major } as const;
    return (await findPostgres(options))?.folder;
  };

  it('tries PG_BIN, then PATH, then the other folders', async () => {
    const [one, two, three] = [folder('15'), folder('16'), folder('17')];
    const env = { PG_BIN: one, PATH: `/nowhere:${two}`, KUBEWRIGHT_PG_FOLDERS: three };
    expect(await find(env)).toBe(one);
    expect(await find({ ...env, PG_BIN: '/nowhere' })).toBe(two);
    expect(await find({ ...env, PG_BIN: '', PATH: '' })).toBe(three);
  });

  it('prefers the requested major version in any folder, unless PG_BIN is set', async () => {
    const [old, other, asked] = [folder('15'), folder('16'), folder('17')];
    const env = { PATH: old, KUBEWRIGHT_PG_FOLDERS: `${other}:${asked}` };
    expect(await find(env, '17')).toBe(asked);
    expect(await find(env, '18')).toBe(old);
    expect(await find({ ...env, PG_BIN: other }, '17')).toBe(other);
  });

  it('skips programs that do not run, and reports the error if there are no others', async () => {
    const [broken, other] = [folder('broken'), folder('16')];
    expect(await find({ PATH: `${broken}:${other}` })).toBe(other);
    await expect(find({ PATH: broken })).rejects.toThrow('does not run');
  });

  it('follows links to the folder that has all programs', async () => {
    const [all, links] = [folder('16', ['initdb', 'postgres', 'pg_rewind']), folder('links', [])];
    for (const program of ['initdb', 'postgres']) symlinkSync(join(all, program), join(links, program));
    expect(await find({ PATH: links })).toBe(all);
    expect(await find({ PG_BIN: links })).toBe(all);
  });

  it('skips a folder that contains only clients', async () => {
    const clients = folder('clients', ['psql', 'initdb']);
    expect(await find({ PG_BIN: clients, PATH: clients })).toBeUndefined();
  });
});
