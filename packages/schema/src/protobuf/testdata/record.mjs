/**
 * Records the same objects as JSON and as protobuf from a real API server, into objects.json beside this file.
 *
 *     bash ../shared/oracle/up.sh /tmp/oracle 23470 &
 *     NODE_TLS_REJECT_UNAUTHORIZED=0 node packages/schema/src/protobuf/testdata/record.mjs https://127.0.0.1:23470 admintoken
 *
 * Recorded from Kubernetes 1.36.3.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const [server, token] = process.argv.slice(2);
const manifests = parseAllDocuments(readFileSync(new URL('objects.yaml', import.meta.url), 'utf8')).map((document) => document.toJS());
/** What a fresh server has anyway. */
const present = [
  '/api/v1/namespaces/kube-system',
  '/api/v1/namespaces/default/services/kubernetes',
  '/api/v1/namespaces/kube-system/serviceaccounts/default',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:aggregate-to-view',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/system:controller:bootstrap-signer',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings/system:controller:bootstrap-signer',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt',
  '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/leader-election',
  '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
  '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps',
  '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
];

const resources = new Map();
for (const [groupVersion, path] of await groupVersions()) {
  for (const resource of (await json(path)).resources) {
    if (!resource.name.includes('/')) resources.set(`${groupVersion}/${resource.kind}`, { ...resource, path });
  }
}
const paths = [...present];
for (const manifest of manifests) {
  const resource = resources.get(`${manifest.apiVersion}/${manifest.kind}`);
  const namespace = resource.namespaced ? `/namespaces/${manifest.metadata.namespace ?? 'default'}` : '';
  const collection = `${resource.path}${namespace}/${resource.name}`;
  const answer = await call(collection, { method: 'POST', body: JSON.stringify(manifest), accept: 'application/json' });
  if (!answer.ok && answer.status !== 409) throw new Error(`${collection}: ${await answer.text()}`);
  paths.push(`${collection}/${manifest.metadata.name}`);
}
await new Promise((resolve) => setTimeout(resolve, 3000));
const pairs = [];
for (const path of paths) pairs.push(await pair(path));
pairs.sort((a, b) => (a.path < b.path ? -1 : 1));
const lines = pairs.map((entry) => JSON.stringify(entry));
writeFileSync(new URL('objects.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`);
console.log(`${pairs.length} objects of ${new Set(pairs.map((entry) => entry.json.kind)).size} kinds`);

/** Reads again until both forms are of the same version. */
async function pair(path) {
  for (;;) {
    const object = await json(path);
    const answer = await call(path, { accept: 'application/vnd.kubernetes.protobuf' });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const again = await json(path);
    if (object.metadata.resourceVersion === again.metadata.resourceVersion) {
      return { path, json: object, protobuf: bytes.toString('base64') };
    }
  }
}

async function groupVersions() {
  const { groups } = await json('/apis');
  const named = groups.flatMap((group) => group.versions.map(({ groupVersion }) => [groupVersion, `/apis/${groupVersion}`]));
  return [['v1', '/api/v1'], ...named];
}

async function json(path) {
  const answer = await call(path, { accept: 'application/json' });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}

function call(path, { method = 'GET', body, accept }) {
  const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' };
  return fetch(`${server}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}
