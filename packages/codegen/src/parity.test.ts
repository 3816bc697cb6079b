import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@kubewright/schema';
import { describe, expect, it } from 'vitest';
import { formatYamlDocuments } from './format-documents.ts';
import { Generator } from './generate.ts';

const folder = new URL('./testdata/parity/', import.meta.url);
const recorded = readFileSync(new URL('recorded.yaml', folder), 'utf8');

/** Returns the CRD without the names of the tools and the descriptions that every kind has. */
function comparable(text: string): unknown {
  const crd = JSON.parse(JSON.stringify(parsed(text)));
  for (const name of ['controller-gen.kubebuilder.io/version', 'kubewright.dev/version']) {
    delete crd.metadata.annotations[name];
  }
  for (const version of crd.spec.versions) {
    const { properties } = version.schema.openAPIV3Schema;
    delete properties.apiVersion.description;
    delete properties.kind.description;
  }
  return crd;
}

/** Applies the known differences. */
function withKnownDifferences(crd: unknown): unknown {
  const known = JSON.parse(JSON.stringify(crd));
  const schema = known.spec.versions[0].schema.openAPIV3Schema;
  // controller-gen 0.19 does not support this marker on a kind.
  schema.externalDocs = { description: 'More', url: 'https://example.com/docs' };
  const { spec } = schema.properties;
  // Kubernetes writes an empty name for compatibility with old clients. It is equivalent to a missing name.
  delete spec.properties.secret.properties.name.default;
  // The rules of controller-gen 0.19 filter a list and count its elements; those of 0.23 add up a 1 or a 0 for each field.
  for (const each of spec['x-kubernetes-validations']) {
    each.rule = each.rule.replace(/^\[(.*)\]\.filter\(x,x==true\)\.size\(\)/, (_: string, fields: string) =>
      fields
        .split(',')
        .map((field) => `(${field}?1:0)`)
        .join('+'),
    );
  }
  // controller-gen 0.19 does not support this marker.
  spec['x-kubernetes-validations'].push({
    message: 'at least one of the fields in [up left down] must be set',
    rule: 'has(self.up)||has(self.left)||has(self.down)',
  });
  return known;
}

function parsed(text: string): unknown {
  return parseYaml(new TextEncoder().encode(text)).value;
}

describe('the generator compared with controller-gen 0.23', () => {
  const theirs = (name: string): string => readFileSync(new URL(`recorded-markers/${name}`, folder), 'utf8');
  const documents = (text: string): readonly unknown[] =>
    text
      .split(/^---\n/m)
      .slice(1)
      .map(parsed);

  it('generates the same output for markers that the sixty shapes do not cover', { timeout: 60_000 }, async () => {
    const generator = new Generator({ root: fileURLToPath(folder), sources: ['markers.ts'] });
    const { files, problems } = await generator.generate();
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const ours = (name: string): string => files.find(({ path }) => path.endsWith(name))?.text ?? '';
    const crd = 'markers.example.com_markings.yaml';
    const expected = comparable(theirs(crd)) as { spec: { versions: { subresources?: object }[] } };
    // controller-gen writes an empty `subresources` object.
    delete expected.spec.versions[0]?.subresources;
    expect(comparable(ours(crd))).toEqual(expected);
    expect(documents(ours('rbac/role.yaml'))).toEqual(documents(theirs('role.yaml')));
    expect(documents(ours('webhook/manifests.yaml'))).toEqual(documents(theirs('manifests.yaml')));
  });
});

describe('the generator compared with controller-gen 0.19', () => {
  it('generates the same schema for each of sixty shapes', { timeout: 60_000 }, async () => {
    const generator = new Generator({ root: fileURLToPath(folder), sources: ['kind.ts'] });
    const { files, problems } = await generator.generate();
    expect(problems).toEqual([]);
    const crd = files.find(({ path }) => path === 'config/crd/bases/parity.example.com_shapes.yaml');
    expect(comparable(crd?.text ?? '')).toEqual(withKnownDifferences(comparable(recorded)));
  });

  it('formats YAML identically', () => {
    expect(formatYamlDocuments([parsed(recorded)])).toBe(recorded);
  });
});
