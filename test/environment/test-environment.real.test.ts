import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInvalid } from '@kubewright/apimachinery';
import { TestEnvironment } from '@kubewright/controlplane';
import { defineKind } from '@kubewright/runtime';
import { kubernetesVersions } from '@kubewright/testing';
import { describe, expect, it } from 'vitest';

const assets = process.env['KUBEBUILDER_ASSETS'] ?? join(homedir(), '.cache/kubewright-oracle/bin');
const manifest = join(import.meta.dirname, '../kubectl/testdata/manifests/postgresql-crd.yaml');
const Postgresql = defineKind<object>({ group: 'database.db.example.com', version: 'v1', kind: 'Postgresql' });

/** Runs the checks, which are the same for all environments. */
async function runChecks(env: Readonly<Record<string, string | undefined>>): Promise<readonly unknown[]> {
  await using environment = await TestEnvironment.start({ env, manifests: [manifest] });
  const resource = environment.client.resource(Postgresql);
  const create = (spec: object) =>
    resource.create({
      apiVersion: 'database.db.example.com/v1',
      kind: 'Postgresql',
      metadata: { generateName: 'a-', namespace: 'default' },
      spec,
    });
  const { metadata } = await create({ password: 'long enough' });
  const refused = await create({ password: 7 }).then(() => false, isInvalid);
  return [environment.backend, metadata.generation, refused];
}

describe('a single suite', () => {
  it('runs on the embedded cluster, on programs of KUBEBUILDER_ASSETS, and on an existing cluster', async () => {
    expect(await runChecks({})).toEqual(['embedded', 1, true]);
    expect(await runChecks({ KUBEBUILDER_ASSETS: assets, KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '90s' })).toEqual([
      'binaries',
      1,
      true,
    ]);
    const { USE_EXISTING_CLUSTER, KUBECONFIG } = process.env;
    expect(await runChecks({ USE_EXISTING_CLUSTER, KUBECONFIG })).toEqual(['existing', 1, true]);
  }, 240_000);

  it('runs on each Kubernetes version of a matrix', { timeout: 240_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kw-matrix-'));
    mkdirSync(join(folder, 'k8s'));
    symlinkSync(assets, join(folder, 'k8s', '1.36.3-linux-amd64'));
    try {
      const env = { KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '90s' };
      const versions = kubernetesVersions({ folder, env });
      const outcomes = [];
      for (const { version, env } of versions) outcomes.push([version, ...(await runChecks(env))]);
      expect(outcomes).toEqual([
        ['embedded', 'embedded', 1, true],
        ['1.36.3', 'binaries', 1, true],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
