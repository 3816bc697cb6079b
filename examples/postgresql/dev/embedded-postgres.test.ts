import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { embeddedPostgres } from './embedded-postgres.ts';

describe('embeddedPostgres', () => {
  it('finds server programs that run, from the installed package alone', async (context) => {
    const folder = await embeddedPostgres(process.platform, process.arch);
    if (folder === undefined) return context.skip('embedded-postgres has no programs for this machine');
    const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
    expect(stdout).toMatch(/^postgres \(PostgreSQL\) 17\./);
    return undefined;
  });

  it('returns undefined for a platform that the package does not support', async () => {
    expect(await embeddedPostgres('sunos', 'mips')).toBeUndefined();
  });
});
