import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { docsPages, isFile } from './pages.ts';
import { scaffolded } from './scaffold.ts';

const tested = docsPages().filter(({ text }) => text.includes('<!-- tested by test/docs -->'));

describe('tests in the documentation', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-docs-tests-'));
  beforeAll(() => build(), 180_000);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it.each(tested.map((page) => [page.path, page] as const))(
    '%s: pass with the manifests generated from the files of the page',
    (path, { blocks }) => {
      const folder = join(base, path.replaceAll('/', '-'));
      const files = blocks.filter(isFile).map(({ title, text }) => [title, text] as const);
      const project = ['package.json', 'tsconfig.json'].map((name) => [name, scaffolded(name)] as const);
      for (const [name, text] of [...project, ...files]) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
      expect(node(folder, 'packages/cli/dist/main.js', 'generate')).toMatchObject({ status: 0 });
      // On a busy machine, the default timeouts of five seconds and one second are too short.
      const patience = ['--testTimeout=60000', '--expect.poll.timeout=20000'];
      const { status, stdout } = node(folder, 'node_modules/vitest/vitest.mjs', 'run', ...patience);
      expect(status, stdout).toBe(0);
      const count = files.filter(([name]) => name.endsWith('.test.ts')).length;
      expect(stdout).toMatch(new RegExp(`Test Files {2}${count} passed`));
    },
    240_000,
  );
});

function node(
  cwd: string,
  script: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly stdout: string } {
  // On a busy machine, the default of four seconds is too short.
  const env = { ...process.env, NO_COLOR: '1', KUBEWRIGHT_EVENTUALLY_TIMEOUT: '40s' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, script), ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, stdout: stdout + stderr };
}
