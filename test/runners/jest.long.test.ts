import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, repository } from '../main-job/repository.ts';

/** A test file in which all tests but the last pass. */
const program = `
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import { eventually, reconcileOnce, TestEnvironment, TestOperator, toBeOwnedBy, toMatch } from '@kubewright/testing';

const copies = controller({
  for: ConfigMap,
  reconcile: async ({ metadata, data }, ctx) => {
    if (metadata.name === 'settings') await ctx.apply(ConfigMap({ metadata: { name: 'copy' }, data }));
  },
});
const settings = ConfigMap({ metadata: { name: 'settings' }, data: { mode: 'dark' } });
let environment;
afterAll(() => environment?.[Symbol.asyncDispose]());

test('one reconcile', async () => {
  const object = ConfigMap({ metadata: { name: 'settings', namespace: 'default' }, data: { mode: 'dark' } });
  const { writes, again } = await reconcileOnce(copies, { objects: [object] });
  expect(writes).toMatchObject([{ kind: 'ConfigMap', name: 'copy' }]);
  expect((await again()).writes).toEqual([]);
});

test('a cluster', async () => {
  environment = await TestEnvironment.start();
  const { client, name } = await environment.namespace();
  const operator = await TestOperator.start(environment.client, { controllers: [copies], namespaces: [name] });
  try {
    const created = await client.resource(ConfigMap).create(settings);
    const copy = await eventually(() => client.resource(ConfigMap).get({ name: 'copy' }), undefined, { timeoutMs: 30_000 });
    toBeOwnedBy(created)(copy);
  } finally {
    await operator[Symbol.asyncDispose]();
  }
}, 60_000);

test('a mismatch', () => toMatch({ data: { mode: 'light' } })(settings));
`;

describe('the test kit with jest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-jest-'));
  beforeAll(async () => {
    await build();
    // Installs Jest in this test. As a dependency, its 186 packages would slow down every installation for the sake of
    // one test.
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, type: 'module', jest: { transform: {} } }),
    );
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', 'jest@30'], {
      cwd: folder,
      stdio: 'pipe',
    });
    mkdirSync(join(folder, 'node_modules/@kubewright'));
    for (const name of readdirSync(join(repository, 'node_modules/@kubewright')))
      symlinkSync(join(repository, 'node_modules/@kubewright', name), join(folder, 'node_modules/@kubewright', name));
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('passes, exits on its own, and shows the difference of a mismatch', () => {
    writeFileSync(join(folder, 'settings.test.js'), program);
    const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules', CI: 'true' };
    const jest = join(folder, 'node_modules/jest/bin/jest.js');
    const { stderr, status } = spawnSync(process.execPath, [jest, '--verbose', '--colors=false'], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 110_000,
    });
    expect(stderr).toMatch(/✓ one reconcile/);
    expect(stderr).toMatch(/✓ a cluster/);
    expect(stderr).toMatch(/✕ a mismatch/);
    expect(stderr).toMatch(
      /ConfigMap settings does not match \(- expected, \+ actual\)[\s\S]*- +"mode": "light"[\s\S]*\+ +"mode": "dark"/,
    );
    expect([status, stderr.match(/^Tests: .*$/m)?.[0]]).toEqual([1, 'Tests:       1 failed, 2 passed, 3 total']);
  }, 120_000);
});
