// Writes the objects that a fresh API server makes for itself (namespaces, roles, bindings, priority classes, flow schemas,
// APIServices) into one compact module: as recorded from the real one, in the form in which our server stores them.
//   node scripts/generate-bootstrap.mjs [DATA] [--check]     DATA: folder with recorded-1.36.3/, default ../shared/data
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const check = process.argv.includes('--check');
const data = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? '../shared/data';
const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, data, 'recorded-1.36.3/bootstrap-objects.json');
const server = join(root, 'packages/controlplane/src/apiserver');
const target = join(server, 'bootstrap/generated/bootstrap-objects.ts');
// The aggregator makes APIServices from what is served, and the service range from its flag.
const skipped = new Set(['apiregistration.k8s.io/v1/apiservices', 'networking.k8s.io/v1/servicecidrs']);
const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const serviceCidr = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: ['10.96.0.0/16'] },
};

if (!existsSync(source)) {
  console.log(`${source} does not exist: nothing was ${check ? 'compared' : 'written'}`);
} else {
  const objects = await storedForms(wanted(JSON.parse(readFileSync(source, 'utf8'))));
  const text = `// Made by scripts/generate-bootstrap.mjs from recordings of kube-apiserver 1.36.3. Do not edit.
/** JSON of the objects that every cluster has from its first start, by their keys, as stored. */
export const bootstrapObjectsJson: string = ${JSON.stringify(JSON.stringify(objects))};
`;
  if (check) {
    if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
      console.log(`${target} is not what scripts/generate-bootstrap.mjs writes; run it`);
      process.exitCode = 1;
    }
  } else {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

/** Namespaces come first, for some of the others live in them. */
function wanted(recorded) {
  const made = namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const kept = Object.entries(recorded)
    .filter(([path]) => !skipped.has(path))
    .flatMap(([, list]) =>
      list.items.map(({ metadata, status, ...rest }) => {
        const { resourceVersion, generation, ...own } = metadata;
        return { apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, ''), metadata: own, ...rest };
      }),
    );
  return [...made, ...kept, serviceCidr];
}

/** Sends the objects to our own empty server and returns what it stored, without cluster-specific fields. */
async function storedForms(objects) {
  const folder = mkdtempSync(join(tmpdir(), 'kw-bootstrap-'));
  try {
    const outfile = join(folder, 'store-bootstrap.cjs');
    const entry = join(server, 'bootstrap/testdata/store-bootstrap.ts');
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'cjs',
      conditions: ['kubewright-source'],
      logOverride: { 'empty-import-meta': 'silent' },
    });
    return await createRequire(import.meta.url)(outfile).storeBootstrap(objects);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
