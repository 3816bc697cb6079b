// Records what controller-gen generates from go/: node record-markers.mjs PATH-OF-CONTROLLER-GEN (v0.23). Needs Go and its proxy.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const generator = resolve(process.argv[2] ?? 'controller-gen');
const folder = mkdtempSync(join(tmpdir(), 'kw-markers-'));
cpSync(here('go'), folder, { recursive: true });
writeFileSync(join(folder, 'go.mod'), 'module markers\n\ngo 1.26.0\n\nrequire k8s.io/apimachinery v0.37.0\n');
for (const [command, ...args] of [
  ['go', 'mod', 'tidy'],
  [generator, 'crd', 'rbac:roleName=manager-role', 'webhook', 'paths=./...', 'output:dir=out'],
]) {
  const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} answered ${status}\n${stderr}`);
}
for (const name of readdirSync(join(folder, 'out'))) {
  writeFileSync(here(`recorded-markers/${name}`), readFileSync(join(folder, 'out', name)));
}

// The names of all markers: what follows a name is told apart by those that take named values.
const named = /^(?:kubebuilder:(?:validation:(?:items:)?XValidation|rbac|webhookconfiguration|webhook|printcolumn|selectablefield|externalDocs|metadata|resource|subresource:scale|deprecatedversion)|default)/;
// Generators and their options are listed beside the markers.
const options = /^(?:crd|rbac|webhook|object|applyconfiguration|schemapatch|paths|output:.*)$/;
const names = new Set();
for (const what of ['crd', 'rbac', 'webhook', 'object', 'applyconfiguration']) {
  const { stderr } = spawnSync(generator, [what, '-w'], { encoding: 'utf8' });
  for (const [, marker] of stderr.replace(/\x1b\[[0-9;]*m/g, '').matchAll(/^\+([\w:.-]+)/gm)) {
    if (!options.test(marker)) names.add(named.exec(marker)?.[0] ?? marker);
  }
}
writeFileSync(here('recorded-markers/markers.txt'), [...names].sort().map((name) => `${name}\n`).join(''));
