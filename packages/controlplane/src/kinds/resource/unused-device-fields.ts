import { dropUnused } from '../drop-unused.ts';
import type { ResourceSlice } from '../generated/drafts.ts';

type Spec = ResourceSlice['spec'];

const lists = ['bools', 'ints', 'strings', 'versions'] as const;

/** Removes device fields of features that are off by default, unless the stored slice uses them. */
export function dropUnusedOfDevices(spec: Spec, old: Spec | undefined): void {
  const before = old?.devices ?? [];
  for (const device of spec.devices ?? []) {
    if (before.every(({ nodeAllocatableResourceMappings: used }) => used === undefined))
      dropUnused(device, undefined, ['nodeAllocatableResourceMappings']);
    if (before.some(hasListAttributes)) continue;
    for (const attribute of Object.values(device.attributes ?? {})) dropUnused(attribute, undefined, lists);
  }
}

function hasListAttributes({ attributes = {} }: NonNullable<Spec['devices']>[number]): boolean {
  return Object.values(attributes).some((attribute) => lists.some((name) => attribute[name] !== undefined));
}
