import type { UnstructuredObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PackageManifest } from '../project/package-manifest.ts';
import { chartYaml } from './chart-yaml.ts';

const schema = { openAPIV3Schema: { type: 'object', description: 'Shop is "a place":\n- with stairs' } };
const objects: readonly UnstructuredObject[] = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shops.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Shop', plural: 'shops' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop-controller-manager' },
    spec: { template: { spec: { containers: [{ name: 'manager', image: 'registry.example.com/shop:1.2.3' }] } } },
  },
];
const samples = [
  { apiVersion: 'example.com/v1', kind: 'Shop', metadata: { name: 'sample' }, spec: { text: '- x: "y"' } },
];
const full: PackageManifest = {
  version: '1.2.3',
  description: 'Keeps shops: all of them',
  license: 'Apache-2.0',
  homepage: 'https://shop.example.com',
  repository: 'https://github.com/a/shop',
  keywords: ['shop'],
  author: { name: 'Ann Lee', email: 'ann@example.com' },
  hasSecurityUpdates: true,
};

function annotationsOf(manifest: PackageManifest, changes: readonly string[] = []) {
  const text = chartYaml({ name: 'shop', manifest, objects, optional: [], samples, changes });
  const { annotations } = parse(text) as { readonly annotations: Readonly<Record<string, unknown>> };
  const own = Object.entries(annotations).map(([key, value]) => [key.replace('artifacthub.io/', ''), value] as const);
  // Annotation values are always strings.
  for (const [key, value] of own) expect([key, typeof value]).toEqual([key, 'string']);
  return new Map(own as readonly (readonly [string, string])[]);
}

describe('Artifact Hub annotations', () => {
  it('have the formats that Artifact Hub reads', () => {
    const found = annotationsOf(full, ['shops.example.com v1 spec.size: "maximum" changed from 9 to 5']);
    const listed = ['crds', 'crdsExamples', 'images', 'changes', 'links', 'maintainers'];
    const read = Object.fromEntries([...found].map(([key, text]) => [key, listed.includes(key) ? parse(text) : text]));
    expect(read).toEqual({
      operator: 'true',
      operatorCapabilities: 'Basic Install',
      crds: [
        {
          kind: 'Shop',
          version: 'v1',
          name: 'shops.example.com',
          displayName: 'Shop',
          description: 'Shop is "a place": - with stairs',
        },
      ],
      crdsExamples: samples,
      images: [{ name: 'shop', image: 'registry.example.com/shop:1.2.3' }],
      license: 'Apache-2.0',
      changes: ['shops.example.com v1 spec.size: "maximum" changed from 9 to 5'],
      links: [{ name: 'source', url: 'https://github.com/a/shop' }],
      maintainers: [{ name: 'Ann Lee', email: 'ann@example.com' }],
      prerelease: 'false',
      containsSecurityUpdates: 'true',
    });
  });

  it('omit what package.json does not specify and state "false" for flags that are not set', () => {
    const found = annotationsOf({ version: '0.1.0', keywords: [], hasSecurityUpdates: false });
    expect([...found.keys()].sort()).toEqual([
      ...[
        'containsSecurityUpdates',
        'crds',
        'crdsExamples',
        'images',
        'operator',
        'operatorCapabilities',
        'prerelease',
      ],
    ]);
    expect([found.get('prerelease'), found.get('containsSecurityUpdates')]).toEqual(['true', 'false']);
  });
});
