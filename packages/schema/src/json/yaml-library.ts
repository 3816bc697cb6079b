import { createRequire } from 'node:module';

type Yaml = typeof import('yaml');

/** Loads the YAML library on demand: 70 modules that a cluster with only JSON requests never needs. */
export function yamlLibrary(): Yaml {
  return createRequire(import.meta.url)('yaml') as Yaml;
}
