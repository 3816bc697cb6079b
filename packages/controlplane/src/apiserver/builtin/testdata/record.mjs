// Asks a real API server (1.36.3) and keeps its answers as fixtures.
// Run: node record.mjs https://127.0.0.1:PORT TOKEN (minimal|invalid|tables)
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minimalObjects } from './minimal-objects.mjs';

const [server, token, what] = process.argv.slice(2);
const clusterScoped = /^(namespaces|nodes|persistentvolumes|cluster.*|csidrivers|csinodes|storageclasses|volumeatt.*|.*admission.*|.*webhook.*|priorityclasses|runtimeclasses|flowschemas|prioritylevel.*|deviceclasses|resourceslices|certificate.*|apiservices|ingressclasses|ipaddresses|servicecidrs)$/;

export function collectionOf(resource, object, namespace = 'default') {
  const { apiVersion } = object;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return clusterScoped.test(resource) ? `${base}/${resource}` : `${base}/namespaces/${namespace}/${resource}`;
}

export function call(method, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
    const req = request(new URL(path, server), { method, headers: all, rejectUnauthorized: false }, (res) => {
      let data = '';
      res.setEncoding('utf8').on('data', (chunk) => { data += chunk; });
      res.on('end', () => resolve({ status: res.statusCode, warnings: res.headers['warning'], body: data ? JSON.parse(data) : undefined }));
    });
    req.on('error', reject).end(text);
  });
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
