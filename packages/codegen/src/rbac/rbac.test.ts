import type { PolicyRule } from '@kubewright/apimachinery/rbac/v1';
import { beforeAll, describe, expect, it } from 'vitest';
import { Fixture, headLines, readYaml } from '../testdata/fixture.ts';
import { mergeRules } from './merge-rules.ts';
import { parseRbacTag } from './parse-rbac-tag.ts';
import type { RbacRule } from './rule.ts';

const fixture = new Fixture();
// Read the types of the packages once, because reading them takes longer than running all tests.
beforeAll(() => fixture.generate(''));
const kind = `
interface Spec { a?: string }
const Thing = defineKind<Spec, Spec>({ group: 'example.com', version: 'v1', kind: 'Thing' });
type Thing = runtime.CustomResource<Spec, Spec>;
`;

async function rulesOf(source: string): Promise<readonly string[]> {
  const { files, problems } = await fixture.generate(kind + source);
  expect(problems).toEqual([]);
  const role = readYaml(files.find(({ path }) => path === 'config/rbac/role.yaml')?.text ?? 'rules: []');
  const { rules } = role as { readonly rules: readonly PolicyRule[] };
  return rules.map(({ apiGroups = [], resources = [], nonResourceURLs = [], verbs }) =>
    [...apiGroups, ...resources, ...nonResourceURLs, '→', ...verbs].join(' ').trim(),
  );
}

describe('rules of a program', () => {
  it('are derived from the declarations of controllers', async () => {
    expect(
      await rulesOf(`
        const owned = [ConfigMap];
        export const things = controller({
          for: Thing, owns: owned, caches: [Secret], watches: [runtime.watch(Pod, runtime.enqueueMapped(() => []))],
          finalizers: { 'example.com/x': async () => {} }, desired: () => ({}),
        });`),
    ).toEqual([
      'configmaps → create delete get list patch watch',
      'pods secrets → get list watch',
      'events.k8s.io events → create patch',
      'example.com things → get list patch watch',
      'example.com things/finalizers → update',
      'example.com things/status → patch',
    ]);
  });

  it('are derived from the declarations of timers', async () => {
    expect(
      await rulesOf(`
        export const checks = runtime.timer({
          for: Thing, intervalMs: 60_000, caches: [Secret], watches: [runtime.watch(Pod, runtime.enqueueMapped(() => []))],
          finalizers: { 'example.com/x': async () => {} },
          run: async (thing, ctx) => void (await ctx.client.resource(Deployment).get({ name: thing.metadata.name })),
        });`),
    ).toEqual([
      'pods secrets → get list watch',
      'apps deployments → get',
      'events.k8s.io events → create patch',
      'example.com things → get list patch watch',
      'example.com things/status → patch',
    ]);
  });

  it('are derived from spread options, of which the last one wins', async () => {
    expect(
      await rulesOf(`
        const finalizers = { 'example.com/x': async () => {} };
        const more = { watches: [runtime.watch(Pod, runtime.enqueueMapped(() => []))], owns: [Secret], finalizers };
        const isLarge = process.argv.length > 2;
        export const things = controller({
          ...more, owns: [ConfigMap], ...(isLarge ? { caches: [Deployment] } : {}), for: Thing, desired: () => ({}),
        });`),
    ).toEqual([
      'configmaps → create delete get list patch watch',
      'pods → get list watch',
      'apps deployments → get list watch',
      'events.k8s.io events → create patch',
      'example.com things → get list patch watch',
      'example.com things/finalizers → update',
      'example.com things/status → patch',
    ]);
  });

  it('come with a warning if a spread cannot be resolved', async () => {
    const { problems } = await fixture.generate(`${kind}
      declare function shared(): { owns: runtime.CachedKind[]; watches?: runtime.Watch[] };
      export const things = controller({ ...shared(), watches: [], for: Thing, desired: () => ({}) });`);
    expect(problems).toMatchObject([
      { code: 'KW6401', what: 'the value of owns in shared() cannot be determined from the code' },
    ]);
  });

  it('are derived from typed calls to contexts and clients', async () => {
    const rules = await rulesOf(`
      export async function work(ctx: runtime.ReconcileContext<Thing>, thing: Thing, some: Pod | Secret) {
        await ctx.get(ConfigMap, { name: 'a' });
        await ctx.apply([some]);
        await ctx.client.resource(Deployment).update({} as Deployment);
        await ctx.client.resource(Deployment).subresource('scale').patch({ name: 'a' }, {} as never);
        const things = ctx.client.resource(Thing);
        await things.status.apply({ metadata: { name: 'a' } });
        await things.deleteCollection();
        await ctx.client.resource(Job).waitFor({ name: 'a' }, () => true);
        await ctx.client.pods.logs({ name: 'a' });
        await ctx.client.pods.exec({ name: 'a' }, { command: ['ls'] });
        await ctx.client.pods.evict({ name: 'a' });
      }`);
    expect(rules).toEqual([
      'configmaps pods/log → get',
      'pods secrets → create patch',
      'pods/eviction → create',
      'pods/exec → create get',
      'apps deployments → update',
      'apps deployments/scale → patch',
      'batch jobs → list watch',
      'example.com things → deletecollection',
      'example.com things/status → patch',
    ]);
  });

  it('are derived from object literals in calls', async () => {
    const rules = await rulesOf(`
      const batch = 'batch/v1';
      export async function work(ctx: runtime.ReconcileContext<Thing>, others: readonly Pod[]) {
        await ctx.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
        await ctx.apply([{ apiVersion: batch, kind: 'Job', metadata: { name: 'a' } }, ...others]);
      }`);
    expect(rules).toEqual(['configmaps pods → create patch', 'batch jobs → create patch']);
  });

  it('are read from comments, in separate roles on request', async () => {
    const { files } = await fixture.generate(`${kind}
      /** @rbac groups=core resources=nodes verbs=get;list @rbac urls=/metrics verbs=get */
      export const a = 1;
      /** @rbac groups=apps,resources=deployments,verbs=get,namespace=prod,roleName=reader */
      export const b = 2;`);
    const text = files.find(({ path }) => path === 'config/rbac/role.yaml')?.text;
    expect(text).toContain('  name: reader\n  namespace: prod\n');
    expect(text).toContain('- nonResourceURLs:\n  - /metrics\n');
    expect(text?.match(/^kind: .*/gm)).toEqual(['kind: ClusterRole', 'kind: Role']);
  });

  it('are not read from text that looks like a comment', async () => {
    const tag = '/** @rbac groups=apps resources=deployments verbs=get';
    const source = `
        export type Hostile = '${tag} */';
        export const texts = ['${tag} */', \`${tag} \${1} ${tag} */\`, /[/]** @rbac verbs=get */];
        export const opening = '/** ';
        /** @rbac groups=core resources=nodes verbs=list */
        export function empty() { ${tag} */ }`;
    expect(await rulesOf(source)).toEqual(['nodes → list', 'apps deployments → get']);
  });

  it('come with a warning if a kind cannot be determined', async () => {
    const { files, problems } = await fixture.generate(`${kind}
      export const work = (ctx: runtime.RequestContext, object: KubernetesObject) => ctx.apply(object);`);
    expect(problems).toMatchObject([{ code: 'KW6401', severity: 'warning' }]);
    expect(files.length).toBeGreaterThan(0);
  });

  it('come without a warning if a comment lists the permissions that the code does not show', async () => {
    const tag = '/** @rbac groups=apps resources=deployments verbs=get;list;watch;patch */';
    const { problems } = await fixture.generate(`${kind}
      export function made(given: typeof Thing, more: object) {
        ${tag}
        return [
          controller({ for: given, async reconcile(object: KubernetesObject, ctx: runtime.ReconcileContext) { await ctx.apply(object); } }),
          controller({ ...more, for: Thing, reconcile: async () => {} }),
        ];
      }`);
    expect(problems).toEqual([]);
  });

  it('grant users of a kind access in three roles', async () => {
    const { files } = await fixture.generate(kind);
    const roles = files.filter(({ path }) => path.startsWith('config/rbac/'));
    expect(roles.map(({ path }) => path)).toEqual([
      'config/rbac/thing_admin_role.yaml',
      'config/rbac/thing_editor_role.yaml',
      'config/rbac/thing_viewer_role.yaml',
    ]);
    expect(readYaml(roles[2]?.text ?? '')).toMatchObject({
      metadata: { name: 'thing-viewer-role', labels: { 'app.kubernetes.io/name': 'fixture' } },
      rules: [{ resources: ['things'], verbs: ['get', 'list', 'watch'] }, { resources: ['things/status'] }],
    });
  });
});

describe('the origin of a rule', () => {
  it('is the controller, the call or the comment that requires it', async () => {
    const source = `${kind}
export const things = controller({
  for: Thing,
  async reconcile(_: unknown, ctx: runtime.ReconcileContext) {
    await ctx.get(Secret, { name: 'a', namespace: 'b' });
    /** @rbac groups=apps resources=deployments verbs=get */
  },
});`;
    const { rules } = await fixture.generate(source);
    const first = headLines + kind.split('\n').length;
    const places = rules.map(({ resources, from }) => `${resources[0]} ${from && `${from.file}:${from.line - first}`}`);
    expect(places.sort()).toEqual([
      'deployments kind.ts:5',
      'events undefined',
      'secrets kind.ts:4',
      'things kind.ts:1',
      'things/status kind.ts:1',
    ]);
  });
});

describe('mergeRules', () => {
  const rule = (text: string): RbacRule => parseRbacTag(text) as RbacRule;

  it('joins verbs, then resources, then groups, and lets * replace other values', () => {
    const merged = mergeRules(
      [
        'groups=b resources=x;y verbs=get',
        'groups=b resources=x verbs=list;get',
        'groups=b resources=y verbs=list',
        'groups=a resources=x;y verbs=list;get',
        'groups=c resources=z verbs=get;*',
        'urls=/b verbs=get',
        'urls=/a verbs=get',
      ].map(rule),
    );
    expect(merged.map(({ groups, resources, urls, verbs }) => [groups, resources, urls, verbs])).toEqual([
      [[], [], ['/a', '/b'], ['get']],
      [['a', 'b'], ['x', 'y'], [], ['get', 'list']],
      [['c'], ['z'], [], ['*']],
    ]);
  });

  it.each([
    ['groups=a resources=b', 'the field verbs is missing'],
    ['verbs=get', 'one of the fields resources and urls is required'],
    [
      'group=a verbs=get',
      'unknown field group: must be one of groups, resources, resourceNames, urls, verbs, namespace, roleName',
    ],
    ['groups verbs=get', 'the field groups has no value'],
  ])('rejects %s', (text, why) => {
    expect(parseRbacTag(text)).toBe(why);
  });
});
