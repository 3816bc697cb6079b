import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * @typedef {object} Property
 * @property {string} [type]
 * @property {string} [format]
 * @property {string} [$ref]
 * @property {Property} [items]
 * @property {Property} [additionalProperties]
 */
/**
 * @typedef {object} Definition
 * @property {Record<string, Property>} [properties]
 * @property {string[]} [required]
 * @property {string} [type]
 */
/**
 * @typedef {object} Data
 * @property {Record<string, Definition>} definitions - of the OpenAPI v2 document
 * @property {Record<string, Record<string, [string, string]>>} messages - protobuf: message → number → [name, type]
 * @property {Record<string, { resources: object[] }>} resourceLists - path of a group and version → APIResourceList
 * @property {Record<string, object[]>} tableColumns - path of a collection → columns
 * @property {{ groups: object[] }} apis - recorded APIGroupList: the order of the groups
 * @property {Record<string, Record<string, { enum?: string[], default?: unknown }>>} facts - recorded from OpenAPI v3, see record-openapi-v3.mjs
 * @property {Record<string, Record<string, string>>} goFields - recorded from the Go types, see record-go-fields.mjs
 */

/**
 * Reads the generator's input. Returns undefined if the data folder does not exist.
 *
 * @param {string} folder
 * @returns {Data | undefined}
 */
export function readData(folder) {
  if (!existsSync(join(folder, 'kubernetes-1.36-openapi-v2.json.gz'))) return undefined;
  const document = JSON.parse(gunzipSync(readFileSync(join(folder, 'kubernetes-1.36-openapi-v2.json.gz'))).toString());
  return {
    definitions: document.definitions,
    messages: readJson(join(folder, 'kubernetes-1.36-protobuf-fields.json')),
    resourceLists: readJson(join(folder, 'recorded-1.36.3/resource-lists.json')),
    tableColumns: readJson(join(folder, 'recorded-1.36.3/table-columns.json')),
    apis: readJson(join(folder, 'recorded-1.36.3/apis.json')),
    facts: readJson(new URL('openapi-v3-facts.json', import.meta.url)),
    goFields: readJson(new URL('go-fields.json', import.meta.url)),
  };
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
