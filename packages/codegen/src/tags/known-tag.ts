import type { TagDefinition } from './tag.ts';
import { tags } from './tag-table.ts';

/** TSDoc tags that do not affect validation. Some become part of the description; the others are ignored. */
export const documentationTags: ReadonlySet<string> = new Set([
  'deprecated',
  'remarks',
  'see',
  'internal',
  'alpha',
  'beta',
  'experimental',
  'public',
  'privateRemarks',
  'readonly',
  'packageDocumentation',
  'inheritDoc',
  'label',
  'todo',
  'rbac',
]);

const byName: ReadonlyMap<string, TagDefinition> = new Map(tags.map((tag) => [tag.name, tag]));

/** Finds a tag by its name. The prefixes `items.` and `values.` apply a tag to a list's elements or a map's values. */
export function knownTag(
  name: string,
): { readonly tag: TagDefinition; readonly steps: readonly ('items' | 'values')[] } | undefined {
  const parts = name.split('.');
  const tag = byName.get(parts.at(-1) as string); // split returns at least one part
  const steps = parts.slice(0, -1);
  if (tag === undefined || !steps.every((step): step is 'items' | 'values' => step === 'items' || step === 'values')) {
    return undefined;
  }
  return { tag, steps };
}
