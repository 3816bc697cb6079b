/**
 * Records facts that only the OpenAPI v3 documents of a running API server contain: enumeration values and the defaults
 * of individual fields. The version 2 document that the generator reads contains neither.
 *
 *     kubectl get --raw /openapi/v3/api/v1 > FOLDER/api_v1.json     # and so on, one file per group and version
 *     node scripts/generate-builtin/record-openapi-v3.mjs FOLDER
 *
 * Recorded from Kubernetes 1.36.3.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: record-openapi-v3.mjs FOLDER');

/** @type {Record<string, Record<string, { enum?: string[], default?: unknown }>>} */
const facts = {};
for (const file of readdirSync(folder).sort()) {
  if (!file.startsWith('api')) continue;
  const document = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const mapKeys = new Set(mapKeysOf(name, document.components.schemas));
    for (const [field, property] of Object.entries(schema.properties ?? {})) {
      const fact = factOf(property, mapKeys.has(field));
      if (fact !== undefined) {
        facts[name] ??= {};
        facts[name][field] = fact;
      }
    }
  }
}
writeFileSync(new URL('openapi-v3-facts.json', import.meta.url), `${format(facts)}\n`);

/**
 * Returns the enumeration and the default of a property. A zero default only means that the Go field is not a pointer,
 * so it is recorded only for keys of list elements.
 */
function factOf(property, isMapKey) {
  /** @type {{ enum?: string[], default?: unknown }} */
  const fact = {};
  if (property.enum) fact.enum = property.enum;
  const value = property.default;
  const zero = value === '' || value === 0 || value === false || (typeof value === 'object' && value !== null);
  if (value !== undefined && (!zero || (isMapKey && typeof value !== 'object'))) fact.default = value;
  return Object.keys(fact).length === 0 ? undefined : fact;
}

function mapKeysOf(name, schemas) {
  const keys = [];
  for (const schema of Object.values(schemas)) {
    for (const property of Object.values(schema.properties ?? {})) {
      const reference = property.items?.$ref ?? property.items?.allOf?.[0]?.$ref;
      if (reference === `#/components/schemas/${name}`) keys.push(...(property['x-kubernetes-list-map-keys'] ?? []));
    }
  }
  return keys;
}

function format(value) {
  const lines = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(value[key])}`);
  return `{\n${lines.join(',\n')}\n}`;
}
