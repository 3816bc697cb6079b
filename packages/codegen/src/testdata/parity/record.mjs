// Records controller-gen's CRD of types.go: node record.mjs PATH-OF-CONTROLLER-GEN (v0.19). Needs Go and its proxy.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const generator = resolve(process.argv[2] ?? 'controller-gen');
const folder = mkdtempSync(join(tmpdir(), 'kw-parity-'));
copyFileSync(here('types.go'), join(folder, 'types.go'));
writeFileSync(
  join(folder, 'go.mod'),
  'module parity\n\ngo 1.24.0\n\nrequire (\n\tk8s.io/api v0.34.0\n\tk8s.io/apimachinery v0.34.0\n)\n',
);
for (const [command, ...args] of [
  ['go', 'mod', 'tidy'],
  [generator, 'crd:allowDangerousTypes=true', 'paths=.', 'output:dir=out'],
]) {
  const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} answered ${status}\n${stderr}`);
}

// Descriptions of Kubernetes' own types are not kept: ours have none.
const ours = readFileSync(here('types.go'), 'utf8').replace(/\n\s*\/\/ ?/g, ' ');
const lines = readFileSync(join(folder, 'out/parity.example.com_shapes.yaml'), 'utf8').split('\n');
const kept = [];
for (let i = 0; i < lines.length; i++) {
  const indent = /^(\s*)description:/.exec(lines[i])?.[1].length;
  let end = i + 1;
  while (indent !== undefined && (lines[end] === '' || lines[end]?.search(/\S/) > indent)) end++;
  const words = lines
    .slice(i, end)
    .map((line) => line.trim())
    .join(' ')
    .replace(/^description: (?:\|-)?\s*'?/, '');
  if (indent === undefined || ours.includes(words.slice(0, 30))) kept.push(...lines.slice(i, end));
  i = end - 1;
}
writeFileSync(here('recorded.yaml'), kept.join('\n'));
