/** Common mistakes by name: code that follows {@link preamble}. */
export const mistakes: Readonly<Record<string, string>> = {
  'a status field that does not exist': `
export const sites = controller({
  for: Site,
  async reconcile(site, ctx) {
    await ctx.setStatus({ redy: true });
  },
});`,

  'a status value of the wrong type': `
export const sites = controller({
  for: Site,
  async reconcile(site, ctx) {
    await ctx.setStatus({ ready: 'yes' });
  },
});`,

  'a misspelled field of the spec': `
export const sites = controller({
  for: Site,
  async reconcile(site) {
    console.log(site.spec.titel);
  },
});`,

  'a change of the object that was read': `
export const sites = controller({
  for: Site,
  async reconcile(site) {
    site.spec.title = 'changed';
  },
});`,

  'a requeue in words': `
export const sites = controller({
  for: Site,
  async reconcile() {
    return { requeueAfterMs: '5s' };
  },
});`,

  'a requeue by its Go name': `
export const sites = controller({
  for: Site,
  async reconcile() {
    return { requeueAfter: 5_000 };
  },
});`,

  'a reconcile that is not async': `
export const sites = controller({
  for: Site,
  reconcile(site) {
    return { requeueAfterMs: 5_000 };
  },
});`,

  'a child of which no kind was declared': `
export const sites = controller({
  for: Site,
  owns: ['ConfigMap'],
  async reconcile() {},
});`,

  'a child with a misspelled field': `
export const sites = controller({
  for: Site,
  owns: [ConfigMap],
  async reconcile(site, ctx) {
    const page: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'page' }, daata: {} };
    await ctx.apply(page);
  },
});`,

  'a child without a kind': `
export const sites = controller({
  for: Site,
  async reconcile(site, ctx) {
    await ctx.apply({ metadata: { name: 'page' } });
  },
});`,

  'no reconcile': `
export const sites = controller({ for: Site });`,

  'a finalizer that is not a function': `
export const sites = controller({
  for: Site,
  finalizers: { 'example.com/cleanup': true },
  async reconcile() {},
});`,

  'a kind without a version': `
export const Page = defineKind<{ readonly text: string }>({ group: 'example.com', kind: 'Page' });`,

  'a status of a kind that has none': `
const Page = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Page' });
export const pages = controller({
  for: Page,
  async reconcile(page, ctx) {
    await ctx.setStatus({ ready: true });
  },
});`,

  'a manager of something else': `
export const run = () => new Manager({ controllers: [Site] }).run();`,

  'a validator that answers true': `
export const rules = validator(Site, {
  create: (site) => site.spec.title !== '',
});`,

  'a validator of an operation that does not exist': `
export const rules = validator(Site, {
  patch: () => 'no',
});`,

  'a defaulter that returns a part only': `
export const complete = defaulter(Site, (site) => ({ spec: { title: site.spec.title.trim() } }));`,

  'a conversion that leaves out a field': `
const Old = defineKind<{ readonly name: string }>({ group: 'example.com', version: 'v1beta1', kind: 'Site' });
export const versions = converter(Site, [
  spoke(Old, {
    toHub: () => ({ spec: {} }),
    fromHub: (site) => ({ spec: { name: site.spec.title } }),
  }),
]);`,

  'a conversion from a field that the hub does not have': `
const Old = defineKind<{ readonly name: string }>({ group: 'example.com', version: 'v1beta1', kind: 'Site' });
export const versions = converter(Site, [
  spoke(Old, {
    toHub: (old) => ({ spec: { title: old.spec.name } }),
    fromHub: (site) => ({ spec: { name: site.spec.name } }),
  }),
]);`,
};

/** The code that precedes every mistake. */
export const preamble = `import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller, converter, defaulter, defineKind, Manager, spoke, validator } from '@kubewright/runtime';

interface SiteSpec {
  readonly title: string;
}
interface SiteStatus {
  readonly ready: boolean;
}
const Site = defineKind<SiteSpec, SiteStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
});
`;
