import type { UnstructuredObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ProjectFile } from '../project/write-files.ts';
import { bundleFiles } from './bundle-files.ts';
import { checkBundle } from './check-bundle.ts';

const definition: UnstructuredObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Shop', plural: 'shops' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const deployment: UnstructuredObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop-controller-manager', namespace: 'shop-system' },
  spec: { template: { spec: { containers: [{ name: 'manager', image: 'registry.example.com/shop:1' }] } } },
};

/** Builds a valid bundle and applies text replacements. */
function bundle(replaced: Readonly<Record<string, string>> = {}): readonly ProjectFile[] {
  const files = bundleFiles({
    name: 'shop',
    manifest: { version: '1.2.3', keywords: [], hasSecurityUpdates: false },
    objects: [definition, deployment],
    samples: [{ apiVersion: 'example.com/v1', kind: 'Shop', metadata: { name: 'sample' } }],
    replaces: '1.2.2',
  });
  let found = 0;
  const changed = files.map(({ path, text }) => ({
    path,
    text: Object.entries(replaced).reduce((old, [from, to]) => {
      if (old.includes(from)) found++;
      return old.replaceAll(from, () => to);
    }, text),
  }));
  expect(found).toBeGreaterThanOrEqual(Object.keys(replaced).length);
  return changed;
}

describe('checkBundle', () => {
  it('accepts a generated bundle', () => {
    expect(checkBundle(bundle())).toEqual([]);
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['another format', { 'registry+v1': 'registry+v2' }, 'mediatype.v1 must be registry+v1'],
    ['manifests elsewhere', { 'manifests.v1: manifests/': 'manifests.v1: m/' }, 'manifests.v1 must be manifests/'],
    ['no package', { 'package.v1: shop': 'package.v1: ""' }, 'package.v1 must contain the package name'],
    [
      'a default that is not a channel',
      { 'channel.default.v1: stable': 'channel.default.v1: fast' },
      'one of the channels',
    ],
    [
      'a label that differs',
      { 'LABEL operators.operatorframework.io.bundle.package.v1=shop': '' },
      'is missing the label',
    ],
    ['an image with something in it', { 'FROM scratch': 'FROM alpine' }, 'must start with FROM scratch'],
    ['a name that is not the version', { 'name: shop.v1.2.3': 'name: shop' }, 'must be shop.v1.2.3, got shop'],
    ['a version that is none', { 'version: 1.2.3': 'version: next' }, 'must be a semantic version'],
    ['a mode left out', { 'type: SingleNamespace': 'type: OwnNamespace' }, 'must contain each of OwnNamespace'],
    ['OLM 1 left out', { 'supported: true': 'supported: false' }, 'AllNamespaces must be supported'],
    ['a kind that no CRD serves', { 'served: true': 'served: false' }, 'but no CRD serves it'],
    [
      'an example of another kind',
      { '"kind": "Shop"': '"kind": "Other"' },
      'alm-examples has no example of example.com/v1 Shop',
    ],
    ['examples that are not JSON', { '"kind": "Shop"': '"kind": Shop' }, 'must be a JSON list'],
    ['another strategy', { 'strategy: deployment': 'strategy: other' }, 'strategy must be deployment'],
    ['itself replaced', { 'replaces: shop.v1.2.2': 'replaces: shop.v1.2.3' }, 'the CSV replaces itself'],
    [
      'an image that is not listed',
      { '- image: registry.example.com/shop:1\n    name: shop': '- image: other\n    name: shop' },
      'relatedImages is missing registry.example.com/shop:1',
    ],
  ])('reports %s', (_, replaced, fault) => {
    expect(checkBundle(bundle(replaced)).join('\n')).toContain(fault);
  });

  it('reports kinds that OLM does not install, namespaces and dependencies', () => {
    const more: ProjectFile[] = [
      { path: 'bundle/manifests/a.yaml', text: 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n' },
      { path: 'bundle/manifests/b.yaml', text: 'kind: ConfigMap\nmetadata:\n  name: b\n  namespace: there\n' },
      { path: 'bundle/metadata/dependencies.yaml', text: 'dependencies: []\n' },
    ];
    expect(checkBundle([...bundle(), ...more])).toEqual([
      'OLM cannot install Pod a',
      'ConfigMap b must not set a namespace: OLM chooses the namespace',
      'OLM v1 does not support dependencies.yaml',
    ]);
  });
});
