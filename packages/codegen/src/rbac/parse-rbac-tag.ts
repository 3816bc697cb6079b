import type { RbacRule } from './rule.ts';

const fields = ['groups', 'resources', 'resourceNames', 'urls', 'verbs', 'namespace', 'roleName'] as const;
type Field = (typeof fields)[number];

/**
 * Parses `@rbac groups=apps resources=deployments verbs=get;list`: kubebuilder's format, with fields separated by commas or
 * spaces. Returns a string with the reason if the tag is invalid.
 */
export function parseRbacTag(text: string): RbacRule | string {
  const found = new Map<Field, readonly string[]>();
  for (const part of text.split(/[\s,]+/).filter((each) => each !== '')) {
    const [name = '', value] = part.split('=', 2);
    if (value === undefined) return `the field ${part} has no value`;
    if (!isField(name)) return `unknown field ${name}: must be one of ${fields.join(', ')}`;
    const plain = value.replace(/^"(.*)"$/, '$1');
    found.set(name, plain.split(';'));
  }
  const verbs = found.get('verbs') ?? [];
  if (verbs.length === 0) return 'the field verbs is missing';
  if (!found.has('urls') && !found.has('resources')) return 'one of the fields resources and urls is required';
  const [namespace] = found.get('namespace') ?? [];
  const [roleName] = found.get('roleName') ?? [];
  return {
    groups: found.get('groups') ?? (found.has('resources') ? [''] : []),
    resources: found.get('resources') ?? [],
    resourceNames: found.get('resourceNames') ?? [],
    urls: found.get('urls') ?? [],
    verbs,
    ...(namespace && { namespace }),
    ...(roleName && { roleName }),
  };
}

function isField(name: string): name is Field {
  return fields.some((field) => field === name);
}
