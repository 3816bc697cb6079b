import { wireShapes } from '../generated/wire-shapes.ts';

let names: ReadonlySet<string> | undefined;

/** True for fields that hold a map in every structure that has them, such as `labels`; `selector` is a map in some only. */
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
