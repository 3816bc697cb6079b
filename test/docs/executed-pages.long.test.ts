import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { docsPages } from './pages.ts';
import { Registry } from './registry.ts';
import { runPage } from './run-page.ts';

/** Pages that opt in with a marker in their source. */
const executed = docsPages().filter(({ text }) => text.includes('<!-- executed by test/docs -->'));

describe.skipIf(['kubectl', 'postgres', 'script'].some(isMissing))('executed pages', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw docs-'));
  let registry: Registry;
  beforeAll(async () => {
    await build();
    registry = await Registry.start();
  }, 180_000);
  afterAll(async () => {
    await registry?.stop();
    rmSync(base, { recursive: true, force: true });
  });

  it('include the tutorial', () => {
    expect(executed.map(({ path }) => path)).toContain('docs/tutorial.md');
  });

  it.each(executed.map((page) => [page.path, page] as const))(
    '%s works as shown',
    async (_, page) => {
      const folder = mkdtempSync(join(base, 'reader-'));
      const home = join(folder, 'home');
      mkdirSync(home);
      const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
      const env = { PATH: path, HOME: home, LANG: 'C.UTF-8', NO_COLOR: '1', npm_config_registry: registry.address };
      try {
        await runPage(page, { folder, env: { ...env, npm_config_update_notifier: 'false' } });
      } finally {
        stopClusters(folder, env);
      }
    },
    600_000,
  );
});

/** Stops clusters left behind by a page that failed midway. */
function stopClusters(folder: string, env: NodeJS.ProcessEnv): void {
  for (const name of readdirSync(folder)) {
    const cwd = join(folder, name);
    const program = join(cwd, 'node_modules/.bin/kubewright');
    if (existsSync(program)) spawnSync(program, ['cluster', 'down'], { cwd, env });
  }
}
