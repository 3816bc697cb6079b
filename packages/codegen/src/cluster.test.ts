import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInvalid, type KubernetesObject, systemClock, systemRandom } from '@kubewright/apimachinery';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { type CustomResource, defineKind, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GenerateResult, Generator } from './generate.ts';
import { Fixture } from './testdata/fixture.ts';

const parity = fileURLToPath(new URL('./testdata/parity/', import.meta.url));

interface ShapeSpec {
  readonly [field: string]: unknown;
}
const Shape = defineKind<ShapeSpec>({ group: 'parity.example.com', version: 'v1', kind: 'Shape' });

describe('generated manifests on a cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-codegen-'));
  let cluster: EmbeddedCluster;

  beforeAll(async () => {
    const directory = join(folder, '.kubewright');
    cluster = await EmbeddedCluster.start({ directory, clock: systemClock, random: systemRandom, log: silentLogger });
    await install(await new Generator({ root: parity, sources: ['kind.ts'] }).generate());
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function install({ files, problems }: GenerateResult): Promise<readonly KubernetesObject[]> {
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const paths = files.map(({ path, text }) => {
      const target = join(folder, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
      return target;
    });
    return applyManifests(cluster.client(), { files: paths, fieldManager: 'test' });
  }

  const create = (name: string, spec: ShapeSpec): Promise<CustomResource<ShapeSpec>> =>
    cluster
      .client()
      .resource(Shape)
      .create({
        apiVersion: 'parity.example.com/v1',
        kind: 'Shape',
        metadata: { name, namespace: 'default' },
        spec: { replicas: 1, color: 'red', plain: 'x', up: 'u', ...spec },
      });

  it('apply defaults and prune unknown fields', async () => {
    const { spec } = await create('good', { defaulted: undefined, other: 1, target: '50%', size: '1Gi' });
    expect(spec).toMatchObject({ defaultedList: ['a', 'b'], defaulted: { name: 'x', port: 80 }, target: '50%' });
    expect(spec).not.toHaveProperty('other');
  });

  it.each([
    [{ color: 'pink' }, 'spec.color: Unsupported value: "pink"'],
    [{ port: 0 }, 'spec.port in body should be greater than or equal to 1'],
    [{ size: '1 lot' }, 'spec.size in body should match'],
    [{ names: ['a', 'a'] }, 'spec.names[1]: Duplicate value'],
    [{ left: 'a', right: 'b' }, 'at most one of the fields in [left right] may be set'],
    [{ up: 'a', down: 'b' }, 'exactly one of the fields in [up down] must be set'],
    [{ replicas: 6, color: 'blue' }, 'spec.replicas: Forbidden: many are red: always'],
  ])('reject %j', async (spec, message) => {
    const error = await create('bad', spec).catch((each: unknown) => each);
    expect(isInvalid(error)).toBe(true);
    expect(String(error)).toContain(message);
  });

  it('are accepted in any combination: several versions, a pod, webhooks, roles', { timeout: 60_000 }, async () => {
    const applied = await install(
      await new Fixture().generate(`
        interface Spec { template?: PodTemplateSpec; claims?: readonly string[]; /** @immutable */ once?: string }
        export const New = defineKind<Spec, Spec>({ group: 'example.com', version: 'v2', kind: 'Thing' });
        export const Old = defineKind<Spec>({
          group: 'example.com', version: 'v1', kind: 'Thing', storage: false, deprecationWarning: 'use v2',
        });
        /** @rbac groups=apps resources=deployments verbs=get namespace=default */
        export const things = controller({ for: New, owns: [Pod], desired: () => ({}) });
        export const webhooks = [validator(New, { create() {} }), defaulter(New, (thing) => thing)];`),
    );
    expect(applied.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'CustomResourceDefinition things.example.com',
      'ClusterRole manager-role',
      'Role manager-role',
      'ClusterRole thing-admin-role',
      'ClusterRole thing-editor-role',
      'ClusterRole thing-viewer-role',
      'MutatingWebhookConfiguration mutating-webhook-configuration',
      'ValidatingWebhookConfiguration validating-webhook-configuration',
    ]);
  });
});
