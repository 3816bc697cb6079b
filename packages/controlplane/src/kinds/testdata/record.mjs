// Sends requests to a real API server (1.36.3) and keeps its responses as fixtures.
// Run: node record.mjs https://127.0.0.1:PORT TOKEN (minimal|invalid|warnings|tables)
// The server must be fresh for each run (the tables create webhooks without a backend) and must not let admission
// change objects: --disable-admission-plugins=ServiceAccount,Priority,DefaultTolerationSeconds,TaintNodesByCondition,RuntimeClass
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestSender } from '../../../../../scripts/send-requests.mjs';
import { minimalObjects } from './minimal-objects.mjs';

const [server, token, what] = process.argv.slice(2);
const clusterScoped = /^(namespaces|nodes|persistentvolumes|cluster.*|csidrivers|csinodes|storageclasses|volumeatt.*|.*admission.*|.*webhook.*|priorityclasses|runtimeclasses|flowschemas|prioritylevel.*|deviceclasses|resourceslices|certificate.*|apiservices|ingressclasses|ipaddresses|servicecidrs)$/;

export function collectionOf(resource, object, namespace = 'default') {
  const { apiVersion } = object;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return clusterScoped.test(resource) ? `${base}/${resource}` : `${base}/namespaces/${namespace}/${resource}`;
}

const sendRequest = requestSender(server, token);

export async function call(method, path, body, headers = {}) {
  const { status, headers: answered, body: object } = await sendRequest(method, path, body, headers);
  return { status, warnings: answered.warning, body: object };
}

function stored(object) {
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

async function recordMinimal() {
  const lines = [];
  for (const [resource, object] of minimalObjects) {
    const answer = await call('POST', `${collectionOf(resource, object)}?dryRun=All`, object);
    if (answer.status !== 201) process.stderr.write(`${resource}: ${answer.status} ${answer.body?.message}\n`);
    else lines.push(JSON.stringify({ resource, sent: object, stored: stored(answer.body) }));
  }
  write('minimal.jsonl', lines);
}

export function write(name, lines) {
  writeFileSync(join(dirname(fileURLToPath(import.meta.url)), name), `${lines.join('\n')}\n`);
  process.stdout.write(`${name}: ${lines.length}\n`);
}

if (what === 'minimal') await recordMinimal();

/** Creates the minimal and the table objects, then requests every row as a Table. */
async function recordTables() {
  const { tableObjects } = await import('./table-objects.mjs');
  const all = [...tableObjects, ...minimalObjects.map(([resource, object]) => ({ resource, object }))];
  for (const { resource, object, status, remove, noNode } of all) {
    const body = structuredClone(object);
    if (noNode) delete body.spec.nodeName;
    const collection = collectionOf(resource, body);
    const made = await call('POST', collection, body);
    if (made.status !== 201) process.stderr.write(`${resource} ${body.metadata.name}: ${made.status} ${made.body?.message}\n`);
    const item = `${collection}/${body.metadata.name}`;
    if (status) {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const patched = await call('PATCH', `${item}/status`, { status }, headers);
      if (patched.status !== 200) process.stderr.write(`${item}/status: ${patched.status} ${patched.body?.message}\n`);
    }
    if (remove) await call('DELETE', item);
  }
  const lines = [];
  const collections = new Map(all.map(({ resource, object }) => [collectionOf(resource, object), { resource, object }]));
  for (const [collection, { resource, object }] of collections) {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await call('GET', `${collection}?includeObject=Object&limit=${resource === "pods" ? 40 : 6}`, undefined, { accept });
    for (const row of body.rows) {
      lines.push(JSON.stringify({ resource, apiVersion: object.apiVersion, now: Date.now(), object: stored(row.object), cells: row.cells }));
    }
  }
  write('tables.jsonl', lines);
}

if (what === 'tables') await recordTables();

/** Sends objects that must be rejected, and records the responses. The test rebuilds each object from its case. */
async function recordInvalid() {
  const { build, invalidCases } = await import('./invalid-objects.mjs');
  const lines = [];
  for (const [index, one] of invalidCases.entries()) {
    const { resource, object } = build(one);
    const { status, body } = await call('POST', `${collectionOf(resource, object)}?dryRun=All`, object);
    if (status < 400) process.stderr.write(`${index} ${resource} ${JSON.stringify(one[1]).slice(0, 200)}: accepted\n`);
    lines.push(JSON.stringify({ index, resource, code: status, message: body.message, causes: body.details?.causes }));
  }
  write('invalid.jsonl', lines);
}

if (what === 'invalid') await recordInvalid();

/** Sends objects that are accepted with warnings, and records the warnings. */
async function recordWarnings() {
  const { build } = await import('./invalid-objects.mjs');
  const { suspectCases } = await import('./suspect-objects.mjs');
  const lines = [];
  for (const [index, one] of suspectCases.entries()) {
    const { resource, object } = build(one);
    const { status, warnings, body } = await call('POST', `${collectionOf(resource, object)}?dryRun=All`, object);
    if (status !== 201) process.stderr.write(`${index} ${resource}: ${status} ${body.message}\n`);
    else lines.push(JSON.stringify({ index, resource, warnings: warnings ?? '' }));
  }
  write('warnings.jsonl', lines);
}

if (what === 'warnings') await recordWarnings();
sendRequest.close();
