// Generates generated/wire-shapes.ts, which says how Go's encoder writes each field of the built-in types (pointer, omitempty,
// omitzero).
// Run: node generate.mjs <folder that holds api@v0.36.3, apimachinery@v0.36.3 and kube-aggregator@v0.36.3>
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = process.argv[2];
const version = '0.36.3';
const packages = [
  ['metav1', `apimachinery@v${version}/pkg/apis/meta/v1`],
  ['apiregistrationv1', `kube-aggregator@v${version}/pkg/apis/apiregistration/v1`],
  ...[
    ['v1', 'core/v1'],
    ['appsv1', 'apps/v1'],
    ['batchv1', 'batch/v1'],
    ['autoscalingv1', 'autoscaling/v1'],
    ['autoscalingv2', 'autoscaling/v2'],
    ['networkingv1', 'networking/v1'],
    ['policyv1', 'policy/v1'],
    ['rbacv1', 'rbac/v1'],
    ['storagev1', 'storage/v1'],
    ['admissionregistrationv1', 'admissionregistration/v1'],
    ['schedulingv1', 'scheduling/v1'],
    ['coordinationv1', 'coordination/v1'],
    ['nodev1', 'node/v1'],
    ['discoveryv1', 'discovery/v1'],
    ['eventsv1', 'events/v1'],
    ['certificatesv1', 'certificates/v1'],
    ['flowcontrolv1', 'flowcontrol/v1'],
    ['resourcev1', 'resource/v1'],
    ['authenticationv1', 'authentication/v1'],
    ['authorizationv1', 'authorization/v1'],
  ].map(([name, path]) => [name, `api@v${version}/${path}`]),
];
const scalars = {
  string: 's',
  bool: 'b',
  int: 'n',
  int32: 'n',
  int64: 'n',
  int16: 'n',
  uint8: 'n',
  float64: 'n',
  float32: 'n',
  'resource.Quantity': 'q',
  'intstr.IntOrString': 'i',
  'runtime.RawExtension': 'x',
  'runtime.Object': 'x',
  'metav1.Time': 't',
  'metav1.MicroTime': 'u',
  'metav1.Duration': 's',
  'metav1.FieldsV1': 'x',
  'types.UID': 's',
  'types.NodeName': 's',
};
const declarations = new Map();
const constants = new Map();
for (const [pkg, path] of packages) {
  for (const file of readdirSync(join(modules, path))) {
    if (
      !/^(types.*|meta|micro_time|time|group_version)\.go$/.test(file) ||
      file.includes('prerelease') ||
      file.includes('swagger')
    )
      continue;
    const text = readFileSync(join(modules, path, file), 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/^\s*\/\/(?! ?\+default=).*$/gm, '');
    for (const m of text.matchAll(/^\s*(?:const )?(\w+)\s+\w+\s*= "(\w+)"/gm)) constants.set(m[1], m[2]);
    for (const m of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
      declarations.set(`${pkg}.${m[1]}`, { pkg, body: m[2] });
    for (const m of text.matchAll(/^type (\w+) (?!struct|interface)(=\s*)?(\S+)\s*(\/\/.*)?$/gm))
      declarations.set(`${pkg}.${m[1]}`, { pkg, alias: m[3] });
  }
}
const imports = { corev1: 'v1', apiv1: 'v1', v1: 'v1', core: 'v1', autoscaling: 'autoscalingv1', rbac: 'rbacv1' };
const structs = {};
function typeCode(pkg, text) {
  if (text.startsWith('*')) return `*${typeCode(pkg, text.slice(1))}`;
  if (text === '[]byte') return 'y';
  if (text.startsWith('[]')) return `[${typeCode(pkg, text.slice(2))}`;
  const map = /^map\[[\w.]+\](.*)$/.exec(text);
  if (map) return `{${typeCode(pkg, map[1])}`;
  if (scalars[text]) return scalars[text];
  const [left, right] = text.split('.');
  const name = right ? `${imports[left] ?? left}.${right}` : `${pkg}.${left}`;
  if (scalars[name]) return scalars[name];
  const declaration = declarations.get(name);
  if (!declaration) throw new Error(`unknown type ${text} in ${pkg}`);
  if (declaration.alias) return typeCode(declaration.pkg, declaration.alias);
  addStruct(name, declaration);
  return `@${name}`;
}
function addStruct(name, { pkg, body }) {
  if (structs[name]) return;
  const fields = {};
  structs[name] = fields;
  let fallback = '';
  for (const line of body.split('\n')) {
    const declared = /\/\/ ?\+default=(.*)$/.exec(line);
    if (declared && line.trim().startsWith('//'))
      fallback = `=${declared[1].trim().replace(/^ref\((\w+)\)$/, (_, name) => JSON.stringify(constants.get(name)))}`;
    const m = /^\s*(\w+\s+)?([\w.*[\]]+)\s+`([^`]*)`/.exec(line);
    if (!m) continue;
    const tag = /json:"([^"]*)"/.exec(m[3])?.[1];
    if (tag === undefined || tag === '-') continue;
    const [json, ...options] = tag.split(',');
    if (options.includes('inline') || json === '') {
      if (m[2].endsWith('TypeMeta')) continue;
      const code = typeCode(pkg, m[2]).replace('*', '');
      Object.assign(fields, structs[code.slice(1)]);
      continue;
    }
    const omit = options.includes('omitempty')
      ? options.includes('omitzero')
        ? 'z'
        : 'o'
      : options.includes('omitzero')
        ? 'z'
        : '!';
    fields[json] = omit + typeCode(pkg, m[2]) + fallback;
    fallback = '';
  }
}
for (const [name, declaration] of declarations) {
  if (
    declaration.body &&
    /TypeMeta\s+`json:",inline"/.test(declaration.body) &&
    /ObjectMeta\s+`json:"metadata/.test(declaration.body)
  )
    addStruct(name, declaration);
}
const out = join(dirname(fileURLToPath(import.meta.url)), '..', 'generated', 'wire-shapes.ts');
mkdirSync(dirname(out), { recursive: true });
const lines = Object.entries(structs)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, fields]) => `  ${JSON.stringify(name)}: ${JSON.stringify(fields)},`);
const head = `// Generated by wire/generate.mjs from the Go types of Kubernetes ${version}; do not edit.\n`;
const type = 'Readonly<Record<string, Readonly<Record<string, string>>>>';
writeFileSync(out, `${head}export const wireShapes: ${type} = {\n${lines.join('\n')}\n};\n`);

// The same structures as TypeScript interfaces. All fields are optional and mutable, because strategies need this.
const simple = (name) => name.slice(name.indexOf('.') + 1);
const owners = new Map();
for (const name of Object.keys(structs)) owners.set(simple(name), [...(owners.get(simple(name)) ?? []), name]);
const typeName = (name) => {
  const [first] = [...owners.get(simple(name))].sort((a, b) => rank(a) - rank(b));
  if (first === name) return simple(name);
  const prefix = name.slice(0, name.indexOf('.'));
  return prefix.charAt(0).toUpperCase() + prefix.slice(1) + simple(name);
};
const rank = (name) =>
  packages.findIndex(([pkg]) => name.startsWith(`${pkg}.`)) + (name.startsWith('autoscalingv2') ? -1.5 : 0);
const tsTypes = {
  s: 'string',
  b: 'boolean',
  n: 'number',
  q: 'string',
  i: 'number | string',
  x: 'unknown',
  t: 'string',
  u: 'string',
  y: 'string',
};
function tsType(code) {
  if (code[0] === '*') return tsType(code.slice(1));
  if (code[0] === '[') return `${tsType(code.slice(1)).replace(/^(.*\|.*)$/, '($1)')}[]`;
  if (code[0] === '{') return `Record<string, ${tsType(code.slice(1))}>`;
  return code[0] === '@' ? typeName(code.slice(1)) : tsTypes[code];
}
const interfaces = Object.entries(structs)
  .sort(([a], [b]) => (typeName(a) < typeName(b) ? -1 : 1))
  .map(([name, fields]) => {
    const root = declarations.get(name).body.includes('TypeMeta') ? '  apiVersion: string;\n  kind: string;\n' : '';
    const body = Object.entries(fields)
      .map(([field, code]) => {
        const type = tsType(code.slice(1).split('=')[0]);
        if (/^[!o][tu]/.test(code)) return `  ${field}?: string | null | undefined;\n`;
        if (code.startsWith('!*')) return `  ${field}?: ${type} | null | undefined;\n`;
        if (/^![[{]/.test(code)) return `  ${field}: ${type} | null;\n`;
        return /^(![snb]|[!o][qi@])/.test(code) ? `  ${field}: ${type};\n` : `  ${field}?: ${type} | undefined;\n`;
      })
      .join('');
    return `export interface ${typeName(name)} {\n${root}${body}}\n`;
  });
writeFileSync(join(dirname(out), 'drafts.ts'), `${head}${interfaces.join('\n')}`);
process.stdout.write(`${lines.length} structures\n`);
