import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller, defineKind, runOperator } from '@kubewright/runtime';

const Site = defineKind<{ readonly title: string }, { readonly ready: boolean }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
});

const sites = controller({
  for: Site,
  owns: [ConfigMap],
  async reconcile(site, ctx) {
    const data = { 'index.html': `<h1>${site.spec.title}</h1>` };
    await ctx.apply(ConfigMap({ metadata: { name: site.metadata.name }, data }));
    await ctx.setStatus({ ready: true });
  },
});

process.exitCode = await runOperator({ controllers: [sites] });
