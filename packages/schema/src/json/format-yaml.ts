import { yamlLibrary } from './yaml-library.ts';

/** Formats a JSON value as YAML, with sorted fields like upstream. */
export function formatYaml(value: unknown): string {
  return yamlLibrary().stringify(value, { aliasDuplicateObjects: false, sortMapEntries: true });
}
