import { groupVersions, metaPackage, packageOfName, targetOf } from './groups.mjs';
import { factsOf, messageName, resolve } from './messages.mjs';
import { textModule } from './text-module.mjs';

const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** Definitions whose JSON differs from their schema, with their special type in the table. */
const special = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'quantity'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'intOrString'],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', 'any'],
  [`${metaPackage}.FieldsV1`, 'fields'],
  [`${metaPackage}.Patch`, 'any'],
  [`${metaPackage}.Time`, 'time'],
  [`${metaPackage}.MicroTime`, 'microTime'],
  [`${apiextensions}.JSON`, 'any'],
  [`${apiextensions}.JSONSchemaPropsOrArray`, 'any'],
  [`${apiextensions}.JSONSchemaPropsOrBool`, 'any'],
  [`${apiextensions}.JSONSchemaPropsOrStringArray`, 'any'],
]);

/**
 * Writes the table of all definitions, with the fields in the order of the Go structures. One line for each:
 *
 *     name TAB special type or '' TAB map type or '' TAB group/version/kind or '' { TAB field }
 *
 * and a field is `name['!'] type {option}`, separated by blanks; `!` marks a required field. Types: `s` string, `i` and
 * `l` integers of 32 and 64 bits, `b` boolean, `n` number, `y` bytes, `o` object, `@3` the definition on line 3, `[T` a
 * list, `{T` a map. Options: `t=` list type, `k=` list map keys, `m=` patch merge key, `s=` patch strategies, `a=` map
 * type, `e=` values of an enumeration, `d=` default as JSON.
 *
 * @param {import('./read-data.mjs').Data} data
 */
export function typeTable(data) {
  const names = definitionNames(data);
  const index = new Map(names.map((name, at) => [name, at]));
  return textModule('typeTable', {
    about: 'Every definition of the served APIs; `builtin/type-table.ts` documents the format.',
    lines: names.map((name) => lineOf(data, { name, index })),
  });
}

/**
 * Returns the sorted names of all definitions in the served groups and meta/v1, and of the definitions to which they
 * refer.
 */
export function definitionNames(data) {
  const packages = new Set([...groupVersions(data).map((gv) => gv.package), metaPackage]);
  const pending = Object.keys(data.definitions).filter((name) => packages.has(packageOfName(name)));
  const found = new Set();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const property of Object.values(data.definitions[name].properties ?? {}))
      pending.push(...referencesIn(property));
  }
  return [...found].sort();
}

function referencesIn(property) {
  if (property === undefined) return [];
  if (property.$ref !== undefined) return [targetOf(property.$ref)];
  return [...referencesIn(property.items), ...referencesIn(property.additionalProperties)];
}

function lineOf(data, { name, index }) {
  const definition = data.definitions[name];
  const required = new Set(definition.required ?? []);
  const fields = inGoOrder(data, { name, properties: Object.entries(definition.properties ?? {}) }).map((entry) => {
    const [field, property] = entry;
    const facts = data.facts[name]?.[field] ?? {};
    return `${field}${required.has(field) ? '!' : ''} ${typeOf(property, index)}${optionsOf(property, facts)}`;
  });
  const head = [name, special.get(name) ?? '', definition['x-kubernetes-map-type'] ?? '', gvkOf(definition)];
  return [...head, ...fields].join('\t');
}

/** Sorts fields as in the Go structure. The server returns fields, and finds values of a wrong type, in this order. */
function inGoOrder(data, { name, properties }) {
  const own = fieldsOf(data, messageName(name));
  // Those of an embedded `TypeMeta`, which protobuf does not have, come first.
  const order = [...['kind', 'apiVersion'].filter((field) => !own.includes(field)), ...own];
  const place = ([field]) => (order.includes(field) ? order.indexOf(field) : order.length);
  return properties.toSorted((a, b) => place(a) - place(b));
}

/** Returns the fields of a message in the order of its Go structure. Embedded structures contribute their fields in place. */
function fieldsOf(data, message) {
  const messages = { ...data.messages, ...data.goFields.messages };
  return factsOf(data.goFields.fields[message] ?? '').flatMap(({ number, name, flags }) => {
    const [field, type] = messages[message]?.[number] ?? [];
    if (field === undefined) return [];
    return flags.includes('i') ? fieldsOf(data, resolve(messages, { type, owner: message })) : [name ?? field];
  });
}

function gvkOf(definition) {
  const all = definition['x-kubernetes-group-version-kind'] ?? [];
  return all.length === 1 ? `${all[0].group}/${all[0].version}/${all[0].kind}` : '';
}

function typeOf(property, index) {
  if (property.$ref !== undefined) return `@${index.get(targetOf(property.$ref))}`;
  switch (property.type) {
    case 'string':
      return property.format === 'byte' ? 'y' : 's';
    case 'integer':
      return property.format === 'int64' ? 'l' : 'i';
    case 'boolean':
      return 'b';
    case 'number':
      return 'n';
    case 'array':
      return `[${typeOf(property.items, index)}`;
    case 'object':
      return property.additionalProperties === undefined ? 'o' : `{${typeOf(property.additionalProperties, index)}`;
    default:
      throw new Error(`unsupported property type: ${property.type}`);
  }
}

function optionsOf(property, facts) {
  const options = [
    ['t', property['x-kubernetes-list-type']],
    ['k', property['x-kubernetes-list-map-keys']?.join(',')],
    ['m', property['x-kubernetes-patch-merge-key']],
    ['s', property['x-kubernetes-patch-strategy']],
    ['a', property['x-kubernetes-map-type']],
    ['e', facts.enum?.join(',')],
    ['d', facts.default === undefined ? undefined : JSON.stringify(facts.default)],
  ];
  const text = options.filter(([, value]) => value !== undefined).map(([name, value]) => ` ${name}=${value}`);
  for (const option of text) if (/[\t\n]| .* /.test(option)) throw new Error(`option contains a space: ${option}`);
  return text.join('');
}
