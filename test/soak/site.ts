import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  type CustomResource,
  childrenFirst,
  controller,
  type DefinedKind,
  defineKind,
} from '@kubewright/runtime';

/** The kind that the operator of the soak test reconciles: a site with a title and a number of pages. */
export type Site = CustomResource<{ readonly title: string; readonly pages: number }, { readonly pages: number }>;

export const SiteKind: DefinedKind<Site> = defineKind<Site['spec'], NonNullable<Site['status']>>({
  group: 'soak.example.com',
  version: 'v1',
  kind: 'Site',
});

export const siteDefinition: Readonly<Record<string, unknown>> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.soak.example.com' },
  spec: {
    group: 'soak.example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'Site', listKind: 'SiteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** A bug to inject into the operator, to prove that the soak test detects it. */
export type Flaw = 'takes a failure for success' | 'remembers every version';

/** Maintains a ConfigMap for each page. A deleted site is removed once its pages are. */
export function siteController(flaw?: Flaw): ControllerDefinition {
  const remembered: Site[] = [];
  return controller({
    for: SiteKind,
    owns: [ConfigMap],
    // All replicas use the same field manager, so that each replica owns the fields that the others applied.
    fieldManager: 'sites',
    maxConcurrentReconciles: 4,
    finalizers: { 'soak.example.com/pages': childrenFirst(ConfigMap) },
    async reconcile(site, ctx) {
      if (flaw === 'remembers every version') remembered.push(structuredClone(site));
      if (flaw !== 'takes a failure for success') {
        return { children: pagesOf(site), status: { pages: site.spec.pages } };
      }
      try {
        for (const page of pagesOf(site)) await ctx.apply(page);
        await ctx.setStatus({ pages: site.spec.pages });
      } catch {
        // The error is lost, so nothing retries.
      }
      return undefined;
    },
  });
}

/** Returns the children that a site should have. */
export function pagesOf({ metadata, spec }: Site): ConfigMap[] {
  return Array.from({ length: spec.pages }, (_, page) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${metadata.name}-${page}` },
    data: { title: spec.title, page: String(page) },
  }));
}
