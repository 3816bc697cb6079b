/**
 * Records facts about the fields of protobuf messages that only the Go types contain: the name of a field in JSON,
 * whether its struct is inlined, and whether a zero value is omitted. The protobuf encoder of the Go types writes zero
 * values of plain fields, which JSON omits. Without these facts, decoded objects would differ from the same objects in
 * JSON.
 *
 *     node scripts/generate-builtin/record-go-fields.mjs "$(go env GOMODCACHE)/k8s.io"
 *
 * Recorded from the modules of Kubernetes 1.36.3 (v0.36.3). One string for each message: `number[=json name][flags]`,
 * flags after a colon: `i` inlined, `p` pointer, `k` kept when zero (no omitempty), `z` omitzero. Messages that the
 * protobuf data lacks are recorded with their types. `types` contains the Go types of fields that use a named scalar,
 * list or map, such as `Container.imagePullPolicy`: `v1.PullPolicy`, with the package if structures of several packages
 * have this name and their types differ. `embedded` contains the structures through which a
 * field is promoted, such as `Volume.hostPath`: `VolumeSource`. Decode errors contain both.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const modules = process.argv[2];
if (modules === undefined) throw new Error('usage: record-go-fields.mjs FOLDER');
const version = 'v0.36.3';

/** Folder of Go sources → protobuf package. */
const folders = [
  [`apimachinery@${version}/pkg/apis/meta/v1`, 'k8s.io.apimachinery.pkg.apis.meta.v1'],
  [`apimachinery@${version}/pkg/runtime`, 'k8s.io.apimachinery.pkg.runtime'],
  [
    `apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1`,
    'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1',
  ],
  [`kube-aggregator@${version}/pkg/apis/apiregistration/v1`, 'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1'],
];
for (const group of readdirSync(join(modules, `api@${version}`)).sort()) {
  for (const apiVersion of ['v1', 'v2'])
    folders.push([`api@${version}/${group}/${apiVersion}`, `k8s.io.api.${group}.${apiVersion}`]);
}

const fields = {};
const messages = {};
const typesOf = new Map();
const embedded = {};
const structs = new Map();
const named = namedTypes();
for (const [folder, name] of folders) {
  for (const [struct, lines] of structsIn(join(modules, folder))) {
    const parsed = lines.map(parseField).filter((field) => field !== undefined);
    if (parsed.length === 0) continue;
    structs.set(`${name}.${struct}`, parsed);
    for (const { name: json, type } of parsed)
      recordType({ messages: name, field: `${struct}.${json}` }, goType(type, name));
    fields[`${name}.${struct}`] = parsed.map(format).join(' ');
    if (name.includes('kube_aggregator')) messages[`${name}.${struct}`] = Object.fromEntries(parsed.map(protobufOf));
  }
}
for (const [struct, parsed] of structs) {
  for (const { inline, type } of parsed) if (inline && !type.endsWith('TypeMeta')) recordPromoted(struct, type, []);
}
const line = (object) =>
  Object.keys(object)
    .sort()
    .map((key) => `  ${JSON.stringify(key)}: ${JSON.stringify(object[key])}`)
    .join(',\n');
writeFileSync(
  new URL('go-fields.json', import.meta.url),
  `{\n"fields": {\n${line(fields)}\n},\n"messages": {\n${line(messages)}\n},\n"types": {\n${line(namedFieldTypes())}\n},\n"embedded": {\n${line(embedded)}\n}\n}\n`,
);

/**
 * Finds named types other than structures, by package: `v1.PullPolicy`. All API packages are named after their version.
 */
function namedTypes() {
  const found = new Set(['types.UID', 'types.NodeName', 'types.NamespacedName']);
  for (const [folder, name] of folders) {
    const version = name.slice(name.lastIndexOf('.') + 1);
    for (const [, type] of sourcesIn(join(modules, folder)).matchAll(/^type (\w+) (?!struct|interface|=)/gm))
      found.add(`${version}.${type}`);
  }
  return found;
}

/** Returns the type as Go prints it, or undefined if the type contains no named type other than structures. */
function goType(text, messagePackage) {
  const version = messagePackage.slice(messagePackage.lastIndexOf('.') + 1);
  let uses = false;
  const printed = text.replace(/^\*/, '').replace(/[\w.]+/g, (word) => {
    if (/^(map|string|bool|byte|u?int\d*|float\d+)$/.test(word)) return word === 'byte' ? 'uint8' : word;
    const type = word.includes('.')
      ? word.replace(/^(core|meta|api|autoscaling|rbac|apps)?v1\./, 'v1.')
      : `${version}.${word}`;
    uses ||= named.has(type);
    return type;
  });
  return uses ? printed : undefined;
}

/** Records the promoted fields of an embedded structure, with the path of embedded structures. */
function recordPromoted(outer, type, above) {
  const [group, struct] = [outer.slice(0, outer.lastIndexOf('.')), type.slice(type.lastIndexOf('.') + 1)];
  const own = structs.get(`${group}.${struct}`) ?? structs.get(`k8s.io.api.core.v1.${struct}`) ?? [];
  const path = [...above, struct];
  for (const { name, inline, type: inner } of own) {
    if (inline) recordPromoted(outer, inner, path);
    else embedded[`${outer.slice(outer.lastIndexOf('.') + 1)}.${name}`] = path.join('.');
  }
}

function recordType({ messages, field }, type) {
  const found = typesOf.get(field) ?? new Map();
  typesOf.set(field, found.set(messages, type));
}

/** Returns the types by field. If structures of several groups have the same name and another type, adds the group. */
function namedFieldTypes() {
  const found = {};
  for (const [field, byPackage] of typesOf) {
    const different = new Set(byPackage.values());
    for (const [messages, type] of byPackage) {
      if (type !== undefined) found[different.size === 1 ? field : `${messages}.${field}`] = type;
    }
  }
  return found;
}

function sourcesIn(folder) {
  let files = [];
  try {
    files = readdirSync(folder).filter((file) => /^types(_jsonschema)?\.go$/.test(file));
  } catch {
    return ''; // no such version of this group
  }
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

function* structsIn(folder) {
  for (const match of sourcesIn(folder).matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
    yield [match[1], match[2].split('\n')];
}

function parseField(text) {
  const match = /^\s*(?:(\w+)\s+)?([*\w.[\]]+)\s+`(.*)`/.exec(text);
  if (match === null || text.trimStart().startsWith('//')) return undefined;
  const protobuf = /protobuf:"([^"]*)"/.exec(match[3])?.[1];
  const json = /json:"([^"]*)"/.exec(match[3])?.[1];
  if (protobuf === undefined || json === undefined) return undefined;
  const parts = protobuf.split(',');
  const [name, ...options] = json.split(',');
  return {
    number: Number(parts[1]),
    repeated: parts[2] === 'rep',
    protobufName: parts.find((part) => part.startsWith('name='))?.slice(5),
    type: match[2],
    name,
    inline: name === '',
    pointer: match[2].startsWith('*'),
    keep: !options.includes('omitempty') && !options.includes('omitzero'),
    omitZero: options.includes('omitzero'),
  };
}

function format(field) {
  const flags = `${field.inline ? 'i' : ''}${field.pointer ? 'p' : ''}${field.keep ? 'k' : ''}${field.omitZero ? 'z' : ''}`;
  const name = field.inline || field.name === field.protobufName ? '' : `=${field.name}`;
  return `${field.number}${name}${flags === '' ? '' : `:${flags}`}`;
}

/** Types of the aggregator's messages, in the notation of the protobuf data. */
function protobufOf(field) {
  const plain = field.type.replace(/^[*]|^\[\]/, '');
  const known = {
    string: 'string',
    bool: 'bool',
    int32: 'int32',
    int64: 'int64',
    'metav1.ObjectMeta': '.k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    'metav1.ListMeta': '.k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta',
    'metav1.Time': '.k8s.io.apimachinery.pkg.apis.meta.v1.Time',
    ConditionStatus: 'string',
    APIServiceConditionType: 'string',
    byte: 'bytes',
  };
  const type = known[plain] ?? plain;
  return [String(field.number), [field.protobufName, `${field.repeated ? '*' : ''}${type}`]];
}
