import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInvalid, systemClock, systemRandom } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { defineKind, silentLogger } from '@kubewright/runtime';
import type { JsonSchema } from '@kubewright/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Crd } from '../crd/crd.ts';
import type { CrdChangeKind } from './change.ts';
import { compareCrds } from './compare-crds.ts';

type Spec = Readonly<Record<string, unknown>>;

const spec = (a: JsonSchema | undefined, ...required: readonly string[]): JsonSchema => ({
  type: 'object',
  ...(a && { properties: { a } }),
  ...(required.length > 0 && { required }),
});
const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const rule = (...rules: readonly string[]): JsonSchema => ({
  ...text,
  'x-kubernetes-validations': rules.map((each) => ({ rule: each })),
});
const keyed = (...keys: readonly string[]): JsonSchema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object', required: ['k', 'l'], properties: { k: text, l: text } },
});
const refused = 'refused';

/** Changes, each with a manifest that was valid before, and the result of applying it after the change. */
const effects: readonly (readonly [
  CrdChangeKind,
  { readonly before: JsonSchema; readonly after: JsonSchema; readonly given: Spec; readonly effect: Spec | 'refused' },
])[] = [
  ['type-changed', { before: spec(text), after: spec(integer), given: { a: 'x' }, effect: refused }],
  [
    'format-changed',
    { before: spec(text), after: spec({ ...text, format: 'ipv4' }), given: { a: 'x' }, effect: refused },
  ],
  ['enum-added', { before: spec(text), after: spec({ ...text, enum: ['y'] }), given: { a: 'x' }, effect: refused }],
  [
    'enum-value-removed',
    {
      before: spec({ ...text, enum: ['x', 'y'] }),
      after: spec({ ...text, enum: ['y'] }),
      given: { a: 'x' },
      effect: refused,
    },
  ],
  [
    'pattern-changed',
    { before: spec(text), after: spec({ ...text, pattern: '^y$' }), given: { a: 'x' }, effect: refused },
  ],
  ['limit-added', { before: spec(text), after: spec({ ...text, maxLength: 1 }), given: { a: 'xx' }, effect: refused }],
  [
    'limit-tightened',
    {
      before: spec({ ...integer, maximum: 5 }),
      after: spec({ ...integer, maximum: 3 }),
      given: { a: 4 },
      effect: refused,
    },
  ],
  [
    'multiple-of-changed',
    { before: spec(integer), after: spec({ ...integer, multipleOf: 2 }), given: { a: 3 }, effect: refused },
  ],
  [
    'nullable-removed',
    { before: spec({ ...text, nullable: true }), after: spec(text), given: { a: null }, effect: {} },
  ],
  ['default-added', { before: spec(text), after: spec({ ...text, default: 'd' }), given: {}, effect: { a: 'd' } }],
  ['default-removed', { before: spec({ ...text, default: 'd' }), after: spec(text), given: {}, effect: {} }],
  [
    'default-changed',
    { before: spec({ ...text, default: 'd' }), after: spec({ ...text, default: 'e' }), given: {}, effect: { a: 'e' } },
  ],
  [
    'list-type-changed',
    {
      before: spec({ type: 'array', items: text }),
      after: spec({ type: 'array', items: text, 'x-kubernetes-list-type': 'set' }),
      given: { a: ['x', 'x'] },
      effect: refused,
    },
  ],
  [
    'list-keys-changed',
    {
      before: spec(keyed('k', 'l')),
      after: spec(keyed('k')),
      given: {
        a: [
          { k: 'x', l: '1' },
          { k: 'x', l: '2' },
        ],
      },
      effect: refused,
    },
  ],
  [
    'unknown-fields-pruned',
    {
      before: spec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
      after: spec({ type: 'object' }),
      given: { a: { x: 1 } },
      effect: { a: {} },
    },
  ],
  [
    'map-removed',
    {
      before: spec({ type: 'object', additionalProperties: text }),
      after: spec({ type: 'object', properties: {} }),
      given: { a: { x: 'y' } },
      effect: { a: {} },
    },
  ],
  [
    'embedded-resource-changed',
    {
      before: spec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
      after: spec({
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-embedded-resource': true,
      }),
      given: { a: { x: 1 } },
      effect: refused,
    },
  ],
  [
    'int-or-string-removed',
    { before: spec({ 'x-kubernetes-int-or-string': true }), after: spec(text), given: { a: 5 }, effect: refused },
  ],
  ['rule-added', { before: spec(text), after: spec(rule("self == 'y'")), given: { a: 'x' }, effect: refused }],
  [
    'rule-changed',
    { before: spec(rule("self == 'x'")), after: spec(rule("self == 'y'")), given: { a: 'x' }, effect: refused },
  ],
  [
    'alternatives-changed',
    { before: spec(text), after: spec({ ...text, not: { enum: ['x'] } }), given: { a: 'x' }, effect: refused },
  ],
  ['field-removed', { before: spec(text), after: spec(undefined), given: { a: 'x' }, effect: {} }],
  ['field-required', { before: spec(text), after: spec(text, 'a'), given: {}, effect: refused }],
  ['required-field-added', { before: spec(undefined), after: spec(text, 'a'), given: {}, effect: refused }],
];

/** Changes of the whole CRD that the API server itself rejects. */
const impossible: readonly (readonly [CrdChangeKind, (crd: Crd) => Crd])[] = [
  ['group-changed', (crd) => ({ ...crd, spec: { ...crd.spec, group: 'other.example.com' } })],
  ['plural-changed', (crd) => ({ ...crd, spec: { ...crd.spec, names: { ...crd.spec.names, plural: 'others' } } })],
  [
    'kind-changed',
    (crd) => ({ ...crd, spec: { ...crd.spec, names: { ...crd.spec.names, kind: 'Other', listKind: 'OtherList' } } }),
  ],
  ['scope-changed', (crd) => ({ ...crd, spec: { ...crd.spec, scope: 'Cluster' } })],
  [
    'version-removed',
    (crd) => ({ ...crd, spec: { ...crd.spec, versions: crd.spec.versions.map((each) => ({ ...each, name: 'v2' })) } }),
  ],
];

describe('breaking changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-changes-'));
  let cluster: EmbeddedCluster;

  beforeAll(async () => {
    const directory = join(folder, '.kubewright');
    cluster = await EmbeddedCluster.start({ directory, clock: systemClock, random: systemRandom, log: silentLogger });
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function crdOf(plural: string, schema: JsonSchema): Crd {
    const openAPIV3Schema: JsonSchema = { type: 'object', properties: { spec: schema } };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural, singular: plural, kind: `K${plural}`, listKind: `K${plural}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    };
  }

  const crds = () => cluster.client().resource(CustomResourceDefinition);

  /** Creates an object and returns its stored spec, or 'refused'. */
  async function create(plural: string, given: Spec, name: string): Promise<Spec | 'refused'> {
    const kind = defineKind<Spec>({ group: 'example.com', version: 'v1', kind: `K${plural}`, plural });
    const metadata = { name, namespace: 'default' };
    try {
      const created = await cluster
        .client()
        .resource(kind)
        .create({ apiVersion: 'example.com/v1', kind: kind.kind, metadata, spec: given });
      return created.spec;
    } catch (error) {
      if (isInvalid(error)) return refused;
      throw error;
    }
  }

  async function install(crd: Crd): Promise<void> {
    await crds().create(crd as unknown as CustomResourceDefinition); // the cast is safe: our type has the required fields
    await expect
      .poll(async () => (await crds().get({ name: crd.metadata.name })).status?.conditions?.map(({ type }) => type), {
        timeout: 30_000,
      })
      .toContain('Established');
  }

  async function update(crd: Crd): Promise<void> {
    const { metadata } = await crds().get({ name: crd.metadata.name });
    await crds().update({ ...crd, metadata } as unknown as CustomResourceDefinition); // see above
  }

  it.each(effects)('break objects: %s', async (kind, { before, after, given, effect }) => {
    const plural = kind.replaceAll('-', '');
    const [old, now] = [crdOf(plural, before), crdOf(plural, after)];
    expect(compareCrds(old, now)).toMatchObject([{ kind, severity: 'breaking' }]);
    await install(old);
    expect(await create(plural, given, 'before')).not.toEqual(effect);
    await update(now);
    let attempt = 0;
    await expect.poll(() => create(plural, given, `after-${attempt++}`), { timeout: 30_000 }).toEqual(effect);
  });

  it.each(impossible)('are rejected by the API server: %s', async (kind, change) => {
    const plural = `whole${kind.replaceAll('-', '')}`;
    const old = crdOf(plural, spec(text));
    await install(old);
    expect(compareCrds(old, change(old)).map((each) => each.kind)).toContain(kind);
    expect(isInvalid(await update(change(old)).catch((error: unknown) => error))).toBe(true);
  });
});
