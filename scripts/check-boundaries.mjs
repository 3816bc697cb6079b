// Runs dependency-cruiser over the packages, then adds invalid imports and checks that each is rejected.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cruiser = fileURLToPath(new URL('../node_modules/dependency-cruiser/bin/dependency-cruise.mjs', import.meta.url));
const cruise = (...paths) =>
  spawnSync(process.execPath, [cruiser, '--config', '.dependency-cruiser.mjs', '--output-type', 'err', ...paths], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });

const provocations = [
  ['packages/apimachinery/src/provoked.ts', "import '@kubewright/client';", 'apimachinery-imports-downward'],
  ['packages/apimachinery/src/provoked.ts', "import 'node:fs';", 'apimachinery-is-pure'],
  ['packages/client/src/provoked.ts', "import '@kubewright/schema';", 'client-imports-downward'],
  ['packages/runtime/src/provoked.ts', "import '@kubewright/schema';", 'runtime-imports-downward'],
  ['packages/runtime/src/provoked.ts', "import '../../client/src/index.ts';", 'no-deep-imports'],
  ['examples/postgresql/src/provoked.ts', "import '@kubewright/apimachinery/internal';", 'internals-are-ours'],
  ['test/readme/provoked.ts', "import '@kubewright/apimachinery/internal';", 'internals-are-ours'],
  ['packages/runtime/src/reflector/provoked.ts', "import '../cache/store.ts';", 'runtime-reflector-imports-downward'],
  ['packages/runtime/src/cache/provoked.ts', "import '../index.ts';", 'runtime-cache-imports-downward'],
  ['packages/runtime/src/unplaced/provoked.ts', "import '../log/logger.ts';", 'runtime-folders-have-a-place'],
  ['packages/cli/src/target/provoked.ts', "import '../deploy/deploy.ts';", 'cli-target-imports-downward'],
  ['packages/cli/src/dev/cluster/provoked.ts', "import '../dev-loop.ts';", 'cli-dev-cluster-imports-downward'],
  ['packages/cli/src/commands/provoked.ts', "import '../run-cli.ts';", 'cli-commands-imports-downward'],
  ['packages/cli/src/unplaced/provoked.ts', "import '../program/reporter.ts';", 'cli-folders-have-a-place'],
  ['packages/codegen/src/provoked.ts', "import '@kubewright/runtime';", 'codegen-imports-downward'],
  ['packages/controlplane/src/images/provoked.ts', "import '@kubewright/client';", 'images-know-no-cluster'],
  ['packages/codegen/src/provoked.ts', "import 'typescript';", 'one-file-knows-the-compiler'],
  ['packages/testing/src/provoked.ts', "import '@kubewright/apiserver';", 'testing-imports-downward'],
  ['packages/apiserver/src/provoked.ts', "import '@kubewright/controlplane';", 'apiserver-imports-downward'],
  ['packages/apiserver/src/storage/provoked.ts', "import '../api-server.ts';", 'storage-knows-no-server'],
  ['packages/controlplane/src/kube-apiserver/provoked.ts', "import '@kubewright/client';", 'server-shares-nothing'],
  ['packages/controlplane/src/kinds/provoked.ts', "import '../kube-apiserver/control-plane.ts';", 'kinds-know-only'],
  [
    'packages/controlplane/src/node/provoked.ts',
    "import '../cluster/embedded-cluster.ts';",
    'components-are-ordinary-programs',
  ],
  ['packages/controlplane/src/node/provoked.ts', "import '@kubewright/apiserver';", 'components-are-ordinary-programs'],
  ['packages/controlplane/src/node/provoked.ts', "import '../scheduler/index.ts';", 'components-are-separate'],
  ['packages/controlplane/src/usage/provoked.ts', "import '@kubewright/runtime';", 'usage-is-pure'],
  ['packages/controlplane/src/network/provoked.ts', "import '../node/driver.ts';", 'the-network-is-below-the-nodes'],
];

// If the check is interrupted, remove the invalid imports from the sources.
let provoked;
const withdraw = () => provoked && rmSync(provoked, { recursive: true, force: true });
process.on('exit', withdraw);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

const real = cruise('packages', 'examples', 'test');
if (real.status !== 0) {
  console.log(real.stdout + real.stderr);
  process.exitCode = 1;
}
for (const path of shown()) {
  if (!/['"]@kubewright\/[\w-]+\/internal/.test(readFileSync(`${root}/${path}`, 'utf8'))) continue;
  console.log(`${path} shows an import of an internal entry: users import only what is public`);
  process.exitCode = 1;
}
for (const [path, text, rule] of provocations) {
  const file = `${root}/${path}`;
  // The topmost folder that writing the file creates, or the file if its folder already exists.
  provoked = mkdirSync(dirname(file), { recursive: true }) ?? file;
  writeFileSync(file, `${text}\n`);
  const { status, stdout } = cruise(path);
  withdraw();
  if (status === 0 || !stdout.includes(rule)) {
    console.log(`rule ${rule} did not reject ${text} in ${path}\n${stdout}`);
    process.exitCode = 1;
  }
}

/** Returns the files that contain code for users as text. dependency-cruiser cannot see imports in this text. */
function shown() {
  const below = (folder) => readdirSync(`${root}/${folder}`, { recursive: true }).map((name) => `${folder}/${name}`);
  const readmes = readdirSync(`${root}/packages`).map((name) => `packages/${name}/README.md`);
  const pages = below('docs').filter((path) => path.endsWith('.md') && !/^docs\/(api|decisions)\//.test(path));
  const templates = below('packages/cli/src/templates').filter((path) => path.endsWith('.ts'));
  return ['README.md', ...readmes, ...pages, ...templates];
}
