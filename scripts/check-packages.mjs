// Packs every public package, installs the tarballs into an empty folder, and imports each entry from that folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? join(tmpdir(), `kubewright-packages-${process.pid}`));
const publint = join(root, 'node_modules/publint/src/cli.js');

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} in ${cwd} exited with code ${status}\n${stdout}${stderr}`);
  return stdout;
}

mkdirSync(join(target, 'consumer'), { recursive: true });
const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
const manifests = folders.map((folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
const tarballs = folders.map((folder) => {
  run(process.execPath, [publint, '--strict', folder], root);
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', target], folder));
  return join(target, filename.replace('@', '').replace('/', '-'));
});
const consumer = join(target, 'consumer');
writeFileSync(join(consumer, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
run('npm', ['install', '--no-fund', '--no-audit', ...tarballs], consumer);
const entries = manifests.flatMap(({ name, exports }) => Object.keys(exports).map((path) => join(name, path)));
writeFileSync(join(consumer, 'import.js'), entries.map((entry) => `await import('${entry}');\n`).join(''));
run(process.execPath, ['import.js'], consumer);
console.log(
  `packed ${tarballs.length} packages, installed them in an empty folder and imported ${entries.length} entry points`,
);
