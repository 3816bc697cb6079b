import { fork } from 'node:child_process';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processorMs, residentBytes } from '../process-usage.mjs';
import { boot, stop } from './lifetime.mjs';

const namespaces = ['creates', 'watches', 'latency'];
/** Idle time before a control plane's memory is read, in milliseconds. */
const idleMs = 10_000;

/** Measures one control plane for one round: start, restart, idle, load. */
export async function measure(side, { folder, seconds }) {
  const port = 21_000 + Math.floor(Math.random() * 800) * 10;
  const place = { folder, port };
  const first = await boot(side, place);
  // After its first response, the control plane may still be writing data that its next start needs.
  await sleep(500);
  await stop(first.children);
  const again = await boot(side, place);
  const children = [...again.children, ...side.complete(place)];
  try {
    const url = `https://127.0.0.1:${port}`;
    await sleep(idleMs);
    const memory = residentBytes(children) / 1e6;
    const token = await prepare(url, side.credentials(place));
    const load = (task) => runLoad({ url, token, seconds, ...task });
    const creates = {};
    for (const clients of [1, 8, 32]) {
      const before = processorMs(children);
      const { perSecond, writes } = await load({ kind: 'creates', namespace: 'creates', clients });
      if (clients === 8) creates['processor time of a create'] = ((processorMs(children) - before) * 1000) / writes;
      creates[`creates, ${clients} ${clients === 1 ? 'client' : 'clients'}`] = perSecond;
    }
    const watches = await load({ kind: 'watches', namespace: 'watches', clients: 8, watchers: 200 });
    const latency = await load({ kind: 'latency', namespace: 'latency', clients: 1, watchers: 1 });
    return {
      'ready, first start': first.readyMs,
      'ready, certificates kept': again.readyMs,
      'idle memory': memory,
      ...creates,
      'watch events, 200 watchers': watches.perSecond,
      'write → watch, p50': latency.p50,
      'write → watch, p99': latency.p99,
    };
  } finally {
    await stop(children);
  }
}

/** Creates the namespaces and an account with edit rights only in these namespaces. Returns the account's token. */
async function prepare(url, credentials) {
  const post = async (path, object) => {
    const { status, body } = await call(`${url}${path}`, { credentials, object });
    if (status !== 201) throw new Error(`preparing ${path}: ${status} ${body}`);
    return JSON.parse(body);
  };
  for (const name of namespaces) {
    await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const account = { kind: 'ServiceAccount', name: 'bench', namespace: 'creates' };
  await post('/api/v1/namespaces/creates/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: account.name },
  });
  for (const namespace of namespaces) {
    await post(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'bench' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects: [account],
    });
  }
  const { status } = await post('/api/v1/namespaces/creates/serviceaccounts/bench/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 7200 },
  });
  return status.token;
}

function call(url, { credentials = {}, object }) {
  const { token, ...tls } = credentials;
  const headers = { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' };
  const options = { method: object ? 'POST' : 'GET', headers, agent: false, rejectUnauthorized: false, ...tls };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, async (response) => {
      let body = '';
      for await (const text of response.setEncoding('utf8')) body += text;
      resolve({ status: response.statusCode, body });
    });
    sent.on('error', reject);
    sent.end(object && JSON.stringify(object));
  });
}

/** Runs the load generator in a separate process, so each task starts from the same state. */
function runLoad(task) {
  const child = fork(fileURLToPath(new URL('./load.mjs', import.meta.url)), { execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once('message', ({ error, ...result }) => (error ? reject(new Error(error)) : resolve(result)));
    child.once('exit', (code) => reject(new Error(`the load generator exited with code ${code}`)));
    child.send(task);
  });
}
