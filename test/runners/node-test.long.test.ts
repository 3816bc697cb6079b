import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, repository } from '../main-job/repository.ts';

/** A test file in which all tests but the last pass. Written for Node.js 20, which lacks `await using`. */
const program = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller, defineKind } from '@kubewright/runtime';
import { eventually, reconcileOnce, TestEnvironment, TestOperator, toBeOwnedBy, toMatch } from '@kubewright/testing';

const Shop = defineKind({ group: 'shop.example.com', version: 'v1', kind: 'Shop' });
const shops = controller({
  for: Shop,
  owns: [ConfigMap],
  desired: ({ metadata: { name }, spec }) => ({
    children: [ConfigMap({ metadata: { name }, data: { message: spec.message } })],
    status: {},
  }),
});
const copies = controller({
  for: ConfigMap,
  reconcile: async ({ metadata, data }, ctx) => {
    if (metadata.name === 'settings') await ctx.apply(ConfigMap({ metadata: { name: 'copy' }, data }));
  },
});

test('one reconcile', async () => {
  const shop = Shop({ metadata: { name: 'one', namespace: 'default' }, spec: { message: 'hi' } });
  const { writes, again } = await reconcileOnce(shops, { objects: [shop] });
  toMatch([{ kind: 'ConfigMap', name: 'one' }, { subresource: 'status' }])(writes);
  assert.deepEqual((await again()).writes, []);
});

test('a cluster', async (t) => {
  const environment = await TestEnvironment.start();
  t.after(() => environment[Symbol.asyncDispose]());
  const { client, name } = await environment.namespace();
  const operator = await TestOperator.start(environment.client, { controllers: [copies], namespaces: [name] });
  t.after(() => operator[Symbol.asyncDispose]());
  const settings = await client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'settings' }, data: { mode: 'dark' } }));
  const copy = await eventually(() => client.resource(ConfigMap).get({ name: 'copy' }), undefined, { timeoutMs: 30_000 });
  toBeOwnedBy(settings)(copy);
});

test('a mismatch', () => toMatch({ data: { mode: 'light' } })(ConfigMap({ metadata: { name: 'settings' }, data: { mode: 'dark' } })));
`;

describe('the test kit with node:test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-node-test-'));
  beforeAll(() => build(), 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('passes, exits on its own, and shows the difference of a mismatch', () => {
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'shop.test.mjs'), program);
    const { NODE_OPTIONS: _options, ...env } = process.env;
    const { stdout, status } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', 'shop.test.mjs'], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 110_000,
    });
    expect(stdout).toMatch(/^ *ok \d - one reconcile$/m);
    expect(stdout).toMatch(/^ *ok \d - a cluster$/m);
    expect(stdout).toMatch(/^ *not ok \d - a mismatch$/m);
    expect(stdout).toMatch(
      /ConfigMap settings does not match \(- expected, \+ actual\)[\s\S]*- +"mode": "light"[\s\S]*\+ +"mode": "dark"/,
    );
    expect([status, stdout.match(/^# fail \d+$/m)?.[0]]).toEqual([1, '# fail 1']);
  }, 120_000);
});
