import { yamlLibrary } from './yaml-library.ts';

/** Writes a JSON value as YAML, fields sorted as upstream does. */
export function formatYaml(value: unknown): string {
  return yamlLibrary().stringify(value, { aliasDuplicateObjects: false, sortMapEntries: true });
}
