import { wireShapes } from '../generated/wire-shapes.ts';

let names: ReadonlySet<string> | undefined;

/** True for a field name that always denotes a map, such as `labels`. `selector` does not: it is a map only in some structures. */
export function isMapField(name: string): boolean {
  names ??= mapFields();
  return names.has(name);
}

function mapFields(): ReadonlySet<string> {
  const maps = new Set<string>();
  const others = new Set<string>();
  for (const fields of Object.values(wireShapes))
    for (const [name, code] of Object.entries(fields)) (code[1] === '{' ? maps : others).add(name);
  return new Set([...maps].filter((name) => !others.has(name)));
}
