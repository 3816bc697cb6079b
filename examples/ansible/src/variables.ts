import type { Stored } from '@kubewright/apimachinery';
import type { Played } from './watches.ts';

/**
 * Returns the variables of an object, with operator-sdk's names: the fields of the spec in snake case, `ansible_operator_meta`, and
 * the whole object as `_playbooks_example_com_greeting`.
 */
export function variablesFor(object: Stored<Played>): Readonly<Record<string, unknown>> {
  const { apiVersion, kind, metadata, spec } = object;
  const [group = ''] = apiVersion.split('/');
  const key = `_${group.replaceAll(/[.-]/g, '_')}_${kind.toLowerCase()}`;
  const { name, namespace } = metadata;
  return {
    ...(inSnakeCase(spec) as object),
    ansible_operator_meta: { name, namespace },
    [key]: object,
    [`${key}_spec`]: spec,
  };
}

/**
 * Returns a JSON file of variables. Strings are marked as unsafe, because users write them: Ansible would otherwise run the
 * `{{ … }}` in them as a template, with the operator's permissions.
 */
export function variablesFile(variables: unknown): string {
  return JSON.stringify(unsafe(variables));
}

function unsafe(value: unknown): unknown {
  if (typeof value === 'string') return { __ansible_unsafe: value };
  if (Array.isArray(value)) return value.map(unsafe);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unsafe(member)]));
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), inSnakeCase(member)]));
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
