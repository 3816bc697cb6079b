// The API server of soak.mjs: serves lists and watches of `Thing` objects, which are created, resized and deleted at a
// steady rate. A watch ends after a few minutes and the client resumes it, as with a real API server.
import { createServer } from 'node:http';
import { seededRandom } from '@kubewright/apimachinery';
import { thing } from '../informer/thing.mjs';
import { documents } from '../runtime/discovery.mjs';
import { Digest } from './digest.mjs';

const [count, seed] = process.argv.slice(2).map(Number);
const random = seededRandom(seed);
const base = '/apis/example.com/v1';
/** Duration of a watch in milliseconds, and number of events kept for watches that resume. */
const [watchMs, kept] = [240_000, 20_000];

let revision = 1_000_000;
/** Version and JSON of each object; undefined while the object is deleted. */
const objects = Array.from({ length: count }, (_, i) => made(i));
const history = [];
const watchers = new Set();

function made(i) {
  const object = thing(i, revision % 1000);
  const version = String(++revision);
  object.metadata.resourceVersion = version;
  // The note has up to 2,000 characters; short notes are more likely.
  object.metadata.annotations['example.com/note'] = 'x'.repeat(Math.floor(random.next() ** 2 * 2_000));
  return { version, name: object.metadata.name, text: JSON.stringify(object) };
}

/** Picks a random object: usually updates it, sometimes deletes it, and recreates it if it is deleted. */
function change() {
  const i = Math.floor(random.next() * count);
  const before = objects[i];
  let line;
  if (before && random.next() < 0.05) {
    const { version } = before;
    const gone = before.text.replace(`"resourceVersion":"${version}"`, `"resourceVersion":"${++revision}"`);
    objects[i] = undefined;
    line = `{"type":"DELETED","object":${gone}}\n`;
  } else {
    objects[i] = made(i);
    line = `{"type":"${before ? 'MODIFIED' : 'ADDED'}","object":${objects[i].text}}\n`;
  }
  history.push({ revision, line });
  if (history.length > 2 * kept) history.splice(0, kept);
  for (const watcher of watchers) watcher.write(line);
}

let timer;
let sent = 0;
function run(rate) {
  const started = performance.now();
  timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * rate;
    // Spreads out events that a busy machine has delayed, instead of sending them in one burst.
    for (let burst = 0; sent < due && burst < rate / 10; burst++) {
      change();
      sent++;
    }
  }, 5);
}

function list(response) {
  const items = objects.filter(Boolean).map(({ text }) => text);
  const head = `{"apiVersion":"example.com/v1","kind":"ThingList","metadata":{"resourceVersion":"${revision}"},"items":[`;
  response.end(`${head}${items.join(',')}]}`);
}

function watch(query, response) {
  const from = Number(query.get('resourceVersion') ?? 0);
  if (query.has('sendInitialEvents')) {
    response.statusCode = 422;
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422 };
    return response.end(JSON.stringify({ ...status, message: 'sendInitialEvents is forbidden' }));
  }
  response.flushHeaders();
  if (history.length > 0 && history[0].revision > from + 1) {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 };
    return response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
  }
  for (const { revision: at, line } of history) if (at > from) response.write(line);
  watchers.add(response);
  const end = setTimeout(() => {
    // Removes the watcher first: the next event can occur before the connection is closed, and must not be sent on it.
    watchers.delete(response);
    response.end();
  }, watchMs);
  response.on('close', () => {
    clearTimeout(end);
    watchers.delete(response);
  });
}

const bookmarks = setInterval(() => {
  const metadata = { resourceVersion: String(revision) };
  const line = JSON.stringify({ type: 'BOOKMARK', object: { apiVersion: 'example.com/v1', kind: 'Thing', metadata } });
  for (const watcher of watchers) watcher.write(`${line}\n`);
}, 60_000);
bookmarks.unref();

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://server');
  response.setHeader('content-type', 'application/json');
  if (pathname === '/control/run') {
    run(Number(searchParams.get('rate')));
    return response.end('{}');
  }
  if (pathname === '/control/stop') {
    clearInterval(timer);
    const digest = new Digest();
    for (const object of objects) if (object) digest.add(object.name, object.version);
    return response.end(JSON.stringify({ sent, digest: digest.text }));
  }
  if (pathname === `${base}/things`) {
    return /^(1|true)$/.test(searchParams.get('watch') ?? '') ? watch(searchParams, response) : list(response);
  }
  const document = documents[pathname];
  if (document) return response.end(JSON.stringify(document));
  response.statusCode = 404;
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }));
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
// Exits when the parent process has exited.
process.on('disconnect', () => process.exit(1));
