import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatYaml } from '@kubewright/schema/internal';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareCrds } from '../changes/compare-crds.ts';
import type { Crd } from '../crd/crd.ts';
import { Generator } from '../generate.ts';
import { crdsOf, readYaml } from '../testdata/fixture.ts';
import { importCrd } from './import-crd.ts';
import { ImportError } from './import-error.ts';

const projectRoot = fileURLToPath(new URL('../testdata/project/', import.meta.url));
const file = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const generator = new Generator({ root: projectRoot, sources: ['imported.ts'] });
const again = async (text: string): Promise<Crd> => {
  const source = importCrd(text, { as: 'definition' });
  const result = await generator.generate({ overlay: new Map([[`${projectRoot}imported.ts`, source]]) });
  expect(result.problems).toEqual([]);
  return crdsOf(result)[0] as Crd;
};

const tricky: Crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'oxen.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Ox', plural: 'oxen', singular: 'ox', listKind: 'OxList' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['a-b'],
                properties: {
                  'a-b': { type: 'string', pattern: '^a*/$', description: 'Write to @me */ there.' },
                  codes: { type: 'integer', format: 'int32', enum: [1, 2], nullable: true },
                  modes: { type: 'string', enum: ['a', null], nullable: true },
                  empty: { type: 'object' },
                  any: { 'x-kubernetes-preserve-unknown-fields': true },
                  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  rules: {
                    type: 'object',
                    additionalProperties: { type: 'string', minLength: 1 },
                    'x-kubernetes-validations': [{ rule: 'self.all(k,\n  k != "")', message: 'no empty names' }],
                  },
                  either: {
                    type: 'object',
                    properties: { a: { type: 'string' }, b: { type: 'string' } },
                    oneOf: [{ required: ['a'] }, { required: ['b'] }],
                  },
                  list: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: { n: { type: 'number', maximum: 1, exclusiveMaximum: true } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

describe('importCrd', () => {
  beforeAll(() => generator.generate());

  it.each([
    ['the shapes requested from controller-gen', file('../testdata/parity/recorded.yaml')],
    ['the example', file('../../../../examples/postgresql/config/crd/bases/database.db.example.com_postgresqls.yaml')],
    ['what a comment cannot hold', formatYaml(tricky)],
    ['JSON', JSON.stringify(tricky)],
  ])('generates types from %s that yield the same CRD again', async (_, text) => {
    const before = readYaml(text) as Crd;
    const changes = compareCrds(before, await again(text));
    expect(changes.filter(({ kind }) => kind !== 'description-changed')).toEqual([]);
  });

  it('writes idiomatic code', () => {
    const path = '../../../../examples/postgresql/config/crd/bases/database.db.example.com_postgresqls.yaml';
    const source = importCrd(file(path), { as: 'definition' });
    expect(source).toContain(
      '  /** Password of the default user. @minLength 1 @maxLength 1024 */\n  readonly password: string;\n',
    );
    expect(source).toContain("  readonly pgPhase?: 'pending' | 'up' | 'Failed';\n");
    expect(source).toContain('export const Postgresql = defineKind<PostgresqlSpec, PostgresqlStatus>({\n');
  });

  it('imports the requested version, and the CRDs of several documents', () => {
    const text = `kind: ConfigMap\n---\n${formatYaml(tricky)}---\n${formatYaml(tricky).replaceAll('Ox', 'Cow')}`;
    expect(importCrd(text).match(/^export const .*/gm)).toEqual([
      'export const Ox: Kind<Ox> = {',
      'export const Cow: Kind<Cow> = {',
    ]);
    expect(() => importCrd(text, { version: 'v2' })).toThrow('Ox has no version v2; choose an existing version: v1');
  });

  it('writes a constant for a foreign kind, which yields permissions for its calls but no CRD', async () => {
    const root = { type: 'object', properties: { driver: { type: 'string' } }, required: ['driver'] };
    const [version] = tricky.spec.versions;
    const versions = [{ ...version, schema: { openAPIV3Schema: root } }];
    const text = JSON.stringify({ ...tricky, spec: { ...tricky.spec, versions } });
    const source = importCrd(text);
    expect(source).toContain("  readonly kind: 'Ox';\n  readonly driver: string;\n}\n");
    expect(() => importCrd(text, { as: 'definition' })).toThrow('Ox has fields other than spec and status: driver');
    const program = `import type { RequestContext } from '@kubewright/runtime';\n${source}
      export const work = (ctx: RequestContext, ox: Ox) => ctx.delete(ox);
      export const more = (ctx: RequestContext) => ctx.client.resource(Ox).update({} as Ox);`;
    const { files, problems } = await generator.generate({
      overlay: new Map([[`${projectRoot}imported.ts`, program]]),
    });
    expect(problems).toEqual([]);
    expect(files.map(({ path }) => path)).toEqual(['config/rbac/role.yaml']);
    expect(files[0]?.text).toContain('  resources:\n  - oxen\n  verbs:\n  - delete\n  - update\n');
  });

  it.each(['', 'kind: Pod', '{', 'a: [b'])('rejects %j', (text) => {
    expect(() => importCrd(text)).toThrow(ImportError);
  });
});
