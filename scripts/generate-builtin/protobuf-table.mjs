import { groupVersions, metaPackage } from './groups.mjs';
import { definitionName, factsOf, messageName, resolve, scalars } from './messages.mjs';
import { textModule } from './text-module.mjs';
import { definitionNames } from './type-table.mjs';

/** Messages that bodies may contain but no OpenAPI document defines. */
const extraRoots = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'Status',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'WatchEvent',
];

/** Messages with a special JSON form, with their letters in the table. */
const special = new Map([
  ['k8s.io.apimachinery.pkg.api.resource.Quantity', 'Q'],
  ['k8s.io.apimachinery.pkg.util.intstr.IntOrString', 'I'],
  ['k8s.io.apimachinery.pkg.apis.meta.v1.Time', 'T'],
  ['k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime', 'U'],
  ['k8s.io.apimachinery.pkg.apis.meta.v1.Duration', 'D'],
  ['k8s.io.apimachinery.pkg.apis.meta.v1.Verbs', 'W'],
  ['k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1', 'R'],
  ['k8s.io.apimachinery.pkg.runtime.RawExtension', 'R'],
  ['k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON', 'R'],
  ['k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray', 'A'],
  ['k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool', 'B'],
  ['k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray', 'L'],
]);

/**
 * Writes the table of protobuf messages. One line for each:
 *
 *     name of the definition { TAB number ' ' name ' ' type [' ' flags] }
 *
 * Types: `s` string, `b` boolean, `i` and `l` integers of 32 and 64 bits, `y` bytes, `n` number, `@3` the message on
 * line 3, `[T` repeated, `{T` a map with string keys; capitals are messages with a special JSON form, see
 * `protobuf/message-decoder.ts`. Flags: `i` fields belong to the enclosing message, `k` kept when zero, `z` omitted
 * when zero.
 *
 * @param {import('./read-data.mjs').Data} data
 */
export function protobufTable(data) {
  const messages = { ...data.messages, ...data.goFields.messages };
  const names = reachable(data, messages);
  const index = new Map(names.map((name, at) => [name, at]));
  const lines = names.map((name) => {
    const facts = new Map(factsOf(data.goFields.fields[name] ?? '').map((fact) => [fact.number, fact]));
    const fields = Object.entries(messages[name]).map(([number, [field, type]]) => {
      const fact = facts.get(number) ?? { flags: '' };
      const { code, scalar } = typeCode(messages, { type, owner: name, index });
      const flags = flagsOf(fact.flags, scalar);
      return `${number} ${fact.name ?? field} ${code}${flags === '' ? '' : ` ${flags}`}`;
    });
    return [definitionName(name), ...fields].join('\t');
  });
  return textModule('protobufTable', {
    about: 'Protobuf messages of the served kinds; `protobuf/message-table.ts` documents the format.',
    lines,
  });
}

/** Returns the flags of a field. Plain scalars with omitempty are omitted when zero; structs and lists are kept as received. */
function flagsOf(flags, scalar) {
  const inline = flags.includes('i') ? 'i' : '';
  const keep = scalar && /[pk]/.test(flags) ? 'k' : '';
  return `${inline}${keep}${flags.includes('z') ? 'z' : ''}`;
}

function reachable(data, messages) {
  const known = new Set(Object.keys(messages));
  const served = new Set(definitionNames(data).map(messageName));
  const pending = [...served, ...extraRoots.map((name) => messageName(`${metaPackage}.${name}`))].filter((name) =>
    known.has(name),
  );
  for (const gv of groupVersions(data)) {
    if (!pending.some((name) => name.startsWith(`${messageName(gv.package)}.`)))
      throw new Error(`no protobuf messages for ${gv.path}`);
  }
  const found = new Set();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name) || special.has(name) || isStringList(messages, name)) continue;
    found.add(name);
    for (const [, type] of Object.values(messages[name])) {
      const target = resolve(messages, { type: elementType(type), owner: name });
      if (target !== undefined) pending.push(target);
    }
  }
  // The `JSONSchemaPropsOr…` messages are decoded by hand and refer only to JSONSchemaProps.
  return [...found].sort();
}

function typeCode(messages, { type, owner, index }) {
  if (type.startsWith('*'))
    return { code: `[${valueCode(messages, { type: type.slice(1), owner, index })}`, scalar: false };
  if (type.startsWith('map<'))
    return { code: `{${valueCode(messages, { type: elementType(type), owner, index })}`, scalar: false };
  return { code: valueCode(messages, { type, owner, index }), scalar: scalars.has(type) };
}

function valueCode(messages, { type, owner, index }) {
  const scalar = scalars.get(type);
  if (scalar !== undefined) return scalar;
  const target = resolve(messages, { type, owner });
  if (target === undefined) throw new Error(`${owner} refers to an unknown type: ${type}`);
  if (isStringList(messages, target)) return 'W';
  return special.get(target) ?? `@${index.get(target)}`;
}

/** True for messages that wrap a list of strings and are plain lists in JSON, such as Verbs and ExtraValue. */
function isStringList(messages, name) {
  const fields = Object.values(messages[name] ?? {});
  return fields.length === 1 && fields[0][0] === 'items' && fields[0][1] === '*string';
}

function elementType(type) {
  if (type.startsWith('*')) return type.slice(1);
  return type.startsWith('map<') ? type.slice(type.indexOf(',') + 1, -1).trim() : type;
}
