import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';

/** Returns an npm script of an example, split into words. */
function startOf(name: string, script = 'start'): readonly string[] {
  const { scripts = {} } = JSON.parse(readFileSync(join(repository, 'examples', name, 'package.json'), 'utf8'));
  return String(scripts[script] ?? '').split(' ');
}

const examples = readdirSync(join(repository, 'examples')).filter((name) =>
  startOf(name).includes('../../scripts/walkthrough/start.mjs'),
);

const postgres = ['initdb', 'postgres', 'psql', 'pg_dump'];
/** Required programs, by example. */
const needed: Readonly<Record<string, readonly string[]>> = {
  ansible: ['ansible-playbook'],
  database: postgres,
  'helm-chart': ['helm'],
  'postgres-cluster': postgres,
  redis: ['redis-server', 'redis-cli'],
  sampledb: postgres,
};
const missing = (name: string) => needed[name]?.find(isMissing);

describe.skipIf(isMissing('kubectl'))('examples', () => {
  beforeAll(() => build(), 180_000);

  // Must run first, because `npm start` regenerates the files.
  it.each(examples)(
    '%s has current manifests',
    (name) => {
      const { status, output } = run(name, ['packages/cli/dist/main.js', 'generate', '--check']);
      expect(status, output).toBe(0);
    },
    120_000,
  );

  it.for(examples)('%s does what its page shows', { timeout: 480_000 }, (name, { skip }) => {
    skip(missing(name) !== undefined, `${missing(name)} is not installed`);
    const { status, output } = run(name, ['scripts/walkthrough/start.mjs', ...startOf(name).slice(2), '--once']);
    expect(status, output).toBe(0);
  });

  it('postgres-cluster does what its tutorial shows', { timeout: 480_000 }, ({ skip }) => {
    skip(missing('postgres-cluster') !== undefined, `${missing('postgres-cluster')} is not installed`);
    const args = startOf('postgres-cluster', 'tutorial').slice(2);
    const { status, output } = run('postgres-cluster', ['scripts/walkthrough/start.mjs', ...args, '--once']);
    expect(status, output).toBe(0);
  });
});

function run(name: string, [script = '', ...args]: readonly string[]) {
  const cwd = join(repository, 'examples', name);
  // As `npm start` does.
  const PATH = [join(repository, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, script), ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}
