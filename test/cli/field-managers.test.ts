import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock, systemRandom, type UnstructuredObject } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyObjects } from '../../packages/cli/src/target/apply-objects.ts';
import { isMissing } from '../main-job/user-shell.ts';

const directory = mkdtempSync(join(tmpdir(), 'kw-managers-'));
let cluster: EmbeddedCluster;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start({
    directory,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
}, 60_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the operator's Deployment from one version of `dist/install.yaml`. */
function manager(name: string, image: string): UnstructuredObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'manager', image }] } };
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector: { matchLabels: labels }, template } };
}

describe.skipIf(isMissing('kubectl'))('kubewright deploy and kubectl apply --server-side', () => {
  const environment = { clock: systemClock, signal: new AbortController().signal };
  const deploy = (object: UnstructuredObject): Promise<void> =>
    applyObjects({ client: cluster.client(), environment }, [object]);
  const apply = async (object: UnstructuredObject): Promise<void> => {
    const file = join(directory, 'install.yaml');
    writeFileSync(file, JSON.stringify(object));
    const args = ['--kubeconfig', cluster.kubeconfig, 'apply', '--server-side', '-f', file];
    await promisify(execFile)('kubectl', args, { timeout: 30_000 });
  };
  const imageOf = async (name: string): Promise<string | undefined> => {
    const { spec } = await cluster.client().resource(Deployment).get({ namespace: 'default', name });
    return spec?.template.spec?.containers[0]?.image;
  };

  it.each([
    ['deploy, then kubectl', [deploy, apply, deploy, apply]],
    ['kubectl, then deploy', [apply, deploy, apply, deploy]],
  ])('can change the same fields in either order: %s', async (order, steps) => {
    const name = order.startsWith('deploy') ? 'first' : 'second';
    for (const [index, step] of steps.entries()) {
      await step(manager(name, `operator:${index}`));
      expect(await imageOf(name)).toBe(`operator:${index}`);
    }
  });

  it('removes fields of an earlier client-side apply', async () => {
    const file = join(directory, 'client-side.yaml');
    const metadata = { name: 'settings', namespace: 'default' };
    const map = (data: object): UnstructuredObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    writeFileSync(file, JSON.stringify(map({ kept: '1', dropped: '1' })));
    const args = ['--kubeconfig', cluster.kubeconfig, 'apply', '-f', file];
    await promisify(execFile)('kubectl', args, { timeout: 30_000 });
    await deploy(map({ kept: '2' }));
    const live = await cluster.client().resource(ConfigMap).get(metadata);
    expect(live.data).toEqual({ kept: '2' });
    expect(live.metadata.annotations).toBeUndefined();
    expect(live.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['kubectl', 'Apply'],
    ]);
  });
});
