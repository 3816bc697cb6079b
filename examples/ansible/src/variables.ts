import type { Stored } from '@kubewright/apimachinery';
import type { Played } from './watches.ts';

/**
 * Returns the variables of an object, with operator-sdk's names: the fields of the spec in snake case, and
 * `ansible_operator_meta`.
 *
 * Strings are marked as unsafe, because users write them. Otherwise, Ansible would evaluate templates in the strings,
 * `{{ … }}`, with the operator's permissions.
 */
export function variablesFor({ metadata: { name, namespace }, spec }: Stored<Played>): unknown {
  return variable({ ...spec, ansible_operator_meta: { name, namespace } });
}

function variable(value: unknown): unknown {
  if (typeof value === 'string') return { __ansible_unsafe: value };
  if (Array.isArray(value)) return value.map(variable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), variable(member)]));
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
