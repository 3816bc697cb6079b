import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as apimachinery from '@kubewright/apimachinery';
import { ConfigMap, Secret } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import * as runtime from '@kubewright/runtime';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callExamples } from '../../packages/cli/src/explain/examples/call-examples.ts';

const directory = mkdtempSync(join(tmpdir(), 'kw-explain-'));
let cluster: EmbeddedCluster;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start({
    directory,
    clock: apimachinery.systemClock,
    random: apimachinery.systemRandom,
    log: runtime.silentLogger,
  });
}, 60_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const Shop = runtime.defineKind({ group: 'example.com', version: 'v1', kind: 'Shop' });
const metadata = { namespace: 'default', name: 'corner', uid: '8d5f5b7e-7f6b-4f0e-9a39-6f6a3c1d2b4a' };
const shop = { apiVersion: 'example.com/v1', kind: 'Shop', metadata };

/** Runs a snippet with the variables that its group documents. */
async function run(snippet: string): Promise<void> {
  const scope = { ...apimachinery, ...runtime, ConfigMap, Secret, Shop, shop, client: cluster.client() };
  const { code } = transformSync(`export default async () => {\n${snippet}\n};`, { loader: 'ts', format: 'cjs' });
  const module: { exports: { default?: () => Promise<void> } } = { exports: {} };
  new Function('module', 'exports', ...Object.keys(scope), code)(module, module.exports, ...Object.values(scope));
  await module.exports.default?.();
}

describe('kubewright explain, calls', () => {
  it.each(callExamples)('$code: the mistake throws it, and the fix does not', async ({ code, mistake, fix }) => {
    await expect(run(mistake)).rejects.toMatchObject({ code });
    await run(fix);
  });
});
