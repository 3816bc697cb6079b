import { isKnownFormat } from '@kubewright/schema/internal';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

/** Returns warnings for unknown formats, which validate nothing. */
export function formatWarnings({ spec }: CustomResourceDefinition): readonly string[] {
  const found = new Set<string>();
  for (const version of spec.versions) {
    walk(version.schema?.openAPIV3Schema, ({ format }) => {
      if (typeof format === 'string' && format !== '' && !isKnownFormat(format)) found.add(format);
    });
  }
  return [...found].sort().map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

/** Removes from schemas the values that Go does not distinguish from an absent field: a default of null, an empty message. */
export function withoutGoZeroes(spec: Readonly<Record<string, unknown>>): void {
  const { versions } = spec;
  if (!Array.isArray(versions)) return;
  for (const version of versions as readonly unknown[]) {
    if (!isNode(version) || !isNode(version['schema'])) continue;
    walk(version['schema']['openAPIV3Schema'], (node) => {
      if (node['default'] === null) delete node['default'];
      const rules = node['x-kubernetes-validations'];
      if (!Array.isArray(rules)) return;
      for (const rule of rules) if (isNode(rule) && rule['message'] === '') delete rule['message'];
    });
  }
}

function walk(value: unknown, visit: (node: Record<string, unknown>) => void): void {
  // Recursion is safe, because the body reader limits the depth.
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit);
    return;
  }
  if (!isNode(value)) return;
  visit(value);
  for (const key of ['properties', 'patternProperties', 'definitions', 'dependencies']) {
    const map = value[key];
    if (isNode(map)) for (const item of Object.values(map)) walk(item, visit);
  }
  for (const key of ['items', 'additionalProperties', 'additionalItems', 'not', 'allOf', 'anyOf', 'oneOf']) {
    walk(value[key], visit);
  }
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
