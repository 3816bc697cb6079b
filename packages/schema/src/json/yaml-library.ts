import { createRequire } from 'node:module';

type Yaml = typeof import('yaml');

/** Loads the YAML library: 70 modules that a cluster asked for JSON alone never needs. */
export function yamlLibrary(): Yaml {
  return createRequire(import.meta.url)('yaml') as Yaml;
}
