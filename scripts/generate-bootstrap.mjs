// Writes the objects that a fresh API server makes for itself (roles, bindings, priority classes, flow schemas), as
// recorded from the real one, into one compact module.
//   node scripts/generate-bootstrap.mjs [DATA] [--check]     DATA: folder with recorded-1.36.3/, default ../shared/data
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const check = process.argv.includes('--check');
const data = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? '../shared/data';
const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, data, 'recorded-1.36.3/bootstrap-objects.json');
const target = join(root, 'packages/controlplane/src/apiserver/bootstrap/generated/bootstrap-objects.ts');
// The aggregator makes APIServices from what is served, and the service range from its flag.
const skipped = new Set(['apiregistration.k8s.io/v1/apiservices', 'networking.k8s.io/v1/servicecidrs']);

function objectsOf(recorded) {
  return Object.entries(recorded)
    .filter(([path]) => !skipped.has(path))
    .flatMap(([, list]) =>
      list.items.map(({ metadata, status, ...rest }) => {
        const { resourceVersion, generation, ...kept } = metadata;
        return { apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, ''), metadata: kept, ...rest };
      }),
    );
}

if (!existsSync(source)) {
  console.log(`${source} is not there: nothing was ${check ? 'compared' : 'written'}`);
} else {
  const json = JSON.stringify(objectsOf(JSON.parse(readFileSync(source, 'utf8'))));
  const text = `// Made by scripts/generate-bootstrap.mjs from recordings of kube-apiserver 1.36.3. Do not edit.
/** JSON of the objects that every cluster has from its first start. */
export const bootstrapObjectsJson: string = ${JSON.stringify(json)};
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
