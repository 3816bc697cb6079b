// The fake list and watch server for all implementations that runtime.mjs measures: serves 20,000 objects of 2 KB in
// pages, in one response or as a stream, and sends watch events on request. Uses plain HTTP/1.1, so TLS is not
// measured.
import { createServer } from 'node:http';
import { thing } from '../informer/thing.mjs';
import { documents } from './discovery.mjs';

const count = Number(process.argv[2] ?? 20_000);
const group = 'example.com';
const base = `/apis/${group}/v1`;
let version = 0;
const revision = () => String(1_000_000 + version * 100_000 + count);
const texts = (v) => Array.from({ length: count }, (_, i) => JSON.stringify(thing(i, v)));
let objects = texts(0);
const watchers = new Set();

const bookmark = () => {
  const metadata = { resourceVersion: revision(), annotations: { 'k8s.io/initial-events-end': 'true' } };
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Thing', apiVersion: `${group}/v1`, metadata } })}\n`;
};

/** Joins strings into buffers of about 256 KiB, each of which is one write. */
function piecesOf(texts) {
  const pieces = [];
  let batch = '';
  for (const text of texts) {
    batch += text;
    if (batch.length < 262_144) continue;
    pieces.push(Buffer.from(batch));
    batch = '';
  }
  if (batch) pieces.push(Buffer.from(batch));
  return pieces;
}

/** Chunks of recent responses by request, built once so that the server does not dominate the measurement. */
const made = new Map();
function prepared(what, texts) {
  const key = `${version} ${what}`;
  const found = made.get(key) ?? piecesOf(texts());
  // Large enough for one version's list, its stream, or all its pages of 500 objects.
  if (made.size > 64) made.clear();
  made.set(key, found);
  return found;
}

/** Writes chunks and respects backpressure. */
async function write(response, pieces) {
  for (const piece of pieces) {
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  }
}

async function list(query, response) {
  const limit = Number(query.get('limit') ?? 0) || count;
  const from = Number(query.get('continue') ?? 0);
  const end = Math.min(from + limit, count);
  const metadata = { resourceVersion: revision(), ...(end < count && { continue: String(end) }) };
  const head = `{"apiVersion":"${group}/v1","kind":"ThingList","metadata":${JSON.stringify(metadata)},"items":[`;
  const items = () => objects.slice(from, end).map((text, i) => (i === 0 ? text : `,${text}`));
  await write(
    response,
    prepared(`list ${from} ${end}`, () => [head, ...items(), ']}\n']),
  );
  response.end();
}

async function watch(query, response) {
  response.flushHeaders();
  if (query.get('sendInitialEvents') === 'true') {
    await write(
      response,
      prepared('stream', () => objects.map((text) => `{"type":"ADDED","object":${text}}\n`)),
    );
    response.write(bookmark());
  }
  watchers.add(response);
  response.on('close', () => watchers.delete(response));
}

const sendAll = (pieces) => Promise.all([...watchers].map((response) => write(response, pieces)));

/** Sends a number of events as fast as the readers accept them. The events are built before the measurement starts. */
async function burst(query) {
  const lines = [];
  for (let sent = 0; sent < Number(query.get('events')); sent++) {
    if (sent % count === 0) objects = texts(++version);
    lines.push(`{"type":"MODIFIED","object":${objects[sent % count]}}\n`);
  }
  const pieces = piecesOf(lines);
  const startedMs = performance.timeOrigin + performance.now();
  await sendAll(pieces);
  return { startedMs };
}

/** Sends `rate` events per second for `seconds`; each object's note starts with the send time in microseconds. */
async function steady(query) {
  const [rate, seconds] = [Number(query.get('rate')), Number(query.get('seconds'))];
  objects = texts(++version);
  const start = performance.now();
  let sent = 0;
  while (sent < rate * seconds) {
    const due = Math.min(Math.floor(((performance.now() - start) / 1000) * rate), rate * seconds);
    for (; sent < due; sent++) {
      const stamp = String(Math.round((performance.timeOrigin + performance.now()) * 1000)).padStart(16, '0');
      const text = objects[sent % count].replace(
        '"example.com/note":"xxxxxxxxxxxxxxxx',
        `"example.com/note":"${stamp}`,
      );
      for (const response of watchers) response.write(`{"type":"MODIFIED","object":${text}}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { sent };
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://server');
  response.setHeader('content-type', 'application/json');
  if (pathname === '/control/burst') return response.end(JSON.stringify(await burst(searchParams)));
  if (pathname === '/control/steady') return response.end(JSON.stringify(await steady(searchParams)));
  if (pathname === `${base}/things`) {
    return /^(1|true)$/.test(searchParams.get('watch') ?? '')
      ? watch(searchParams, response)
      : list(searchParams, response);
  }
  const name = pathname.match(/\/namespaces\/[^/]+\/things\/thing-(\d+)$/)?.[1];
  if (name) return response.end(objects[Number(name)]);
  const document = documents[pathname];
  if (document) return response.end(JSON.stringify(document));
  response.statusCode = 404;
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }));
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
