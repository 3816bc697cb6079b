import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCheckout, deepPath } from './checkout-copy.ts';
import { build, repository } from './repository.ts';
import { leftovers, Started } from './started.ts';
import { isMissing, userShell } from './user-shell.ts';

/** Removes all folders with a PostgreSQL server from PATH and the other search locations. */
const withoutPostgres = {
  PG_BIN: tmpdir(),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !existsSync(join(folder, 'postgres')))
    .join(delimiter),
  KUBEWRIGHT_PG_FOLDERS: '',
};
const isRoot = process.getuid?.() === 0;
const canSwitchUser = isRoot && spawnSync('setpriv', ['--version']).status === 0;

describe('npm start in unusual places', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-places-'));
  beforeAll(build, 300_000);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it("falls back to the npm package's PostgreSQL, deep below a private folder, after --ignore-scripts", async () => {
    const home = join(base, 'home');
    mkdirSync(home);
    chmodSync(home, 0o700);
    const checkout = deepPath(home, 120);
    expect(checkout.length).toBeGreaterThan(120);
    copyCheckout(checkout, { embeddedPostgres: 'without library links' });
    await using started = new Started({ cwd: checkout, checkout, env: withoutPostgres });
    await started.ready();
    expect(started.output).toMatch(/Pg Phase: up {6}PostgreSQL 17\./);
    const exported = started.instructions[2]?.trim() ?? '';
    expect(exported).toBe(`export KUBECONFIG='${started.kubeconfig}'`);
    if (!isMissing('kubectl')) {
      const apply = started.instructions.find((line) => line.includes('apply -f')) ?? 'false';
      const { status, stderr } = userShell(checkout)(`${exported}\n${apply}`);
      expect(status, stderr).toBe(0);
    }
    const { sandbox } = started;
    expect(await started.stop('SIGINT')).toMatchObject({ code: 0 });
    expect(leftovers(checkout, sandbox)).toEqual([]);
  }, 300_000);

  it('explains what to do without PostgreSQL, in the pod as well, and keeps running', async () => {
    const checkout = join(base, 'bare');
    copyCheckout(checkout, { embeddedPostgres: 'absent' });
    await using started = new Started({ cwd: checkout, checkout, env: withoutPostgres });
    await started.ready();
    expect(started.output).toMatch(/ s {2}pod waiting +(ErrImagePull|ImagePullBackOff)\n/);
    const [, what, why, remedy] =
      /\n(postgresql-sample is waiting: .*)\n {2}why: (.*)\n {2}fix: (.*)\n/.exec(started.output) ?? [];
    expect(what).toContain('"postgres:17" cannot run on this node');
    expect(why).toContain('PostgreSQL server programs not found');
    expect(remedy).toContain('PG_BIN');
    if (isMissing('kubectl')) return;
    const shell = userShell(checkout);
    const describePod = `KUBECONFIG=${started.kubeconfig} kubectl describe pod postgresql-sample`;
    expect(shell(describePod).stdout).toMatch(/PostgreSQL server programs not found .*install PostgreSQL/);
  }, 300_000);

  it('fails with --once without PostgreSQL', async () => {
    const checkout = join(base, 'bare');
    await using started = new Started({
      cwd: mkdtempSync(join(base, 'cwd-')),
      checkout,
      env: withoutPostgres,
      flags: ['--once'],
    });
    expect(await started.ended).toEqual({ code: 1, signal: null });
    expect(started.output.trim().split('\n').slice(-3)).toEqual([
      expect.stringContaining('postgresql-sample is waiting: '),
      expect.stringContaining('  why: '),
      expect.stringContaining('  fix: '),
    ]);
  }, 300_000);

  it.skipIf(!canSwitchUser)(
    'works for a user other than root',
    async (context) => {
      const user = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];
      const enters = spawnSync(user[0] ?? '', [...user.slice(1), 'test', '-r', join(repository, 'package.json')]);
      if (enters.status !== 0) return context.skip('the user `nobody` cannot read the checkout');
      chmodSync(base, 0o755);
      const checkout = join(base, 'theirs');
      copyCheckout(checkout, { embeddedPostgres: 'linked' });
      execFileSync('chown', ['-hR', 'nobody:nogroup', checkout]);
      const env = { HOME: checkout };
      await using started = new Started({ cwd: checkout, checkout, prefix: user, env });
      await started.ready();
      expect(started.output).toMatch(/Pg Phase: up/);
      const { sandbox } = started;
      expect(await started.stop('SIGTERM')).toMatchObject({ code: 0 });
      expect(leftovers(checkout, sandbox)).toEqual([]);
      return undefined;
    },
    300_000,
  );
});
