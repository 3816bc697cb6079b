import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const exact = '9007199254740993';
const next = '9007199254740995';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe.skipIf(!hasKubectl)('integers beyond 2^53 through kubectl', () => {
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start();
    const int64 = { type: 'integer', format: 'int64' } as const;
    const spec = {
      type: 'object',
      properties: {
        size: { ...int64, minimum: 9007199254740000, multipleOf: 1 },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [
        { rule: `self.size % 2 == 1 && self.size != 9007199254740997`, message: 'odd sizes only' },
      ],
    } as const;
    const crds = cluster.client().resource(CustomResourceDefinition);
    await crds.create(
      CustomResourceDefinition({
        metadata: { name: 'boxes.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { kind: 'Box', plural: 'boxes', singular: 'box', listKind: 'BoxList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
              schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
            },
          ],
        },
      }),
    );
    await crds.waitFor({ name: 'boxes.example.com' }, ({ status }) =>
      Boolean(status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True')),
    );
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  async function kubectl(...args: readonly string[]): Promise<string> {
    try {
      const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]);
      return stdout;
    } catch (error) {
      return (error as { readonly stderr: string }).stderr; // an error of execFile
    }
  }

  function file(name: string, text: string): string {
    const path = join(dirname(cluster.kubeconfig), name);
    writeFileSync(path, text);
    return path;
  }

  const box = (size: string) =>
    `apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\nspec: {size: ${size}, any: {list: [${size}]}}\n`;
  const shown = () => kubectl('get', 'box', 'a', '-o', 'jsonpath={.spec.size} {.spec.any.list[0]}');

  it('are kept by defaults and enumerations of a kind', async () => {
    const size = `{type: integer, format: int64, default: ${exact}, enum: [${exact}, ${next}]}`;
    const schema = `{openAPIV3Schema: {type: object, properties: {spec: {type: object, default: {}, properties: {size: ${size}}}}}}`;
    const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jars.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Jar, plural: jars, singular: jar, listKind: JarList}
  versions: [{name: v1, served: true, storage: true, schema: ${schema}}]
`;
    expect(await kubectl('create', '-f', file('jars.yaml', crd))).toContain('created');
    await kubectl('wait', '--for=condition=Established', 'crd/jars.example.com');
    const jar = file('jar.yaml', 'apiVersion: example.com/v1\nkind: Jar\nmetadata: {name: j}\n');
    await expect.poll(() => kubectl('create', '-f', jar), { timeout: 30_000 }).toMatch(/created|already exists/);
    expect(await kubectl('get', 'jar', 'j', '-o', 'jsonpath={.spec.size}')).toBe(exact);
    const other = `{"spec":{"size":9007199254740994}}`;
    expect(await kubectl('patch', 'jar', 'j', '--type=merge', '-p', other)).toContain('Unsupported value');
  });

  it('are kept by custom resources, their rules, patches, applies and columns', async () => {
    expect(await kubectl('create', '-f', file('box.yaml', box(exact)))).toBe('box.example.com/a created\n');
    expect(await shown()).toBe(`${exact} ${exact}`);
    expect(await kubectl('get', 'box', 'a', '--no-headers')).toMatch(/^a +9007199254740993\n/);
    expect(await kubectl('patch', 'box', 'a', '--type=merge', '-p', `{"spec":{"size":${next}}}`)).toContain('patched');
    expect(await shown()).toBe(`${next} ${exact}`);
    const replace = `[{"op":"test","path":"/spec/size","value":${next}},{"op":"replace","path":"/spec/size","value":${exact}}]`;
    expect(await kubectl('patch', 'box', 'a', '--type=json', '-p', replace)).toContain('patched');
    expect(await shown()).toBe(`${exact} ${exact}`);
    expect(await kubectl('apply', '--server-side', '--force-conflicts', '-f', file('next.yaml', box(next)))).toContain(
      'serverside-applied',
    );
    expect(await shown()).toBe(`${next} ${next}`);
    for (const size of ['9007199254740994', '9007199254740997'])
      expect(await kubectl('patch', 'box', 'a', '--type=merge', '-p', `{"spec":{"size":${size}}}`)).toContain(
        'odd sizes only',
      );
    expect(await kubectl('annotate', 'box', 'a', 'seen=yes')).toContain('annotated');
    expect(await kubectl('get', '--raw', '/apis/example.com/v1/boxes?watch=true&timeoutSeconds=1')).toContain(
      `"size":${next}`,
    );
  });

  it('are kept by typed fields of 64 bits, and rejected by those of 32', async () => {
    const revision = `apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: r}\nrevision: ${exact}\ndata: {size: ${exact}}\n`;
    expect(await kubectl('create', '-f', file('revision.yaml', revision))).toContain('created');
    const fields = 'jsonpath={.revision} {.data.size}';
    expect(await kubectl('get', 'controllerrevision', 'r', '-o', fields)).toBe(`${exact} ${exact}`);
    expect(await kubectl('patch', 'controllerrevision', 'r', '-p', `{"revision":${next}}`)).toContain('patched');
    expect(await kubectl('get', 'controllerrevision', 'r', '-o', fields)).toBe(`${next} ${exact}`);
    const pod = (spec: string) =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {${spec}, automountServiceAccountToken: false, containers: [{name: c, image: i}]}\n`;
    expect(await kubectl('create', '-f', file('pod.yaml', pod(`priority: ${exact}`)))).toContain('of type int32');
    const long = `terminationGracePeriodSeconds: ${exact}, nodeName: none, activeDeadlineSeconds: 2147483647`;
    await expect
      .poll(() => kubectl('create', '-f', file('pod.yaml', pod(long))), { timeout: 30_000 })
      .toContain('created');
    expect(await kubectl('delete', 'pod', 'p', '--wait=false')).toContain('deleted');
    expect(await kubectl('delete', 'pod', 'p', '--force', '--grace-period=0')).toContain('deleted');
  });
});
