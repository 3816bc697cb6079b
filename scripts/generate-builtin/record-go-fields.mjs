/**
 * Records what only the Go types say about the fields of protobuf messages: the name of a field in JSON, whether its
 * struct is inlined, and whether a zero value is left out. The protobuf encoder of the Go types writes zero values of
 * plain fields, which JSON leaves out; without this, decoded objects would differ from the same objects in JSON.
 *
 *     node scripts/generate-builtin/record-go-fields.mjs "$(go env GOMODCACHE)/k8s.io"
 *
 * Recorded from the modules of Kubernetes 1.36.3 (v0.36.3). One text for each message: `number[=json name][flags]`,
 * flags after a colon: `i` inlined, `p` pointer, `k` kept when zero (no omitempty), `z` omitzero. Messages that the
 * protobuf data lacks are recorded with their types.
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
for (const [folder, name] of folders) {
  for (const [struct, lines] of structsIn(join(modules, folder))) {
    const parsed = lines.map(parseField).filter((field) => field !== undefined);
    if (parsed.length === 0) continue;
    fields[`${name}.${struct}`] = parsed.map(format).join(' ');
    if (name.includes('kube_aggregator')) messages[`${name}.${struct}`] = Object.fromEntries(parsed.map(protobufOf));
  }
}
const line = (object) =>
  Object.keys(object)
    .sort()
    .map((key) => `  ${JSON.stringify(key)}: ${JSON.stringify(object[key])}`)
    .join(',\n');
writeFileSync(
  new URL('go-fields.json', import.meta.url),
  `{\n"fields": {\n${line(fields)}\n},\n"messages": {\n${line(messages)}\n}\n}\n`,
);

function* structsIn(folder) {
  let files = [];
  try {
    files = readdirSync(folder).filter((file) => /^types(_jsonschema)?\.go$/.test(file));
  } catch {
    return; // no such version of this group
  }
  for (const file of files) {
    const source = readFileSync(join(folder, file), 'utf8');
    for (const match of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
      yield [match[1], match[2].split('\n')];
  }
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
