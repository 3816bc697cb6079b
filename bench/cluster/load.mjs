// The load generator: gets a task from its parent and returns figures. The same program measures every control plane.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.mjs';
import { quantile } from './figures.mjs';

/** Size of each written object, in bytes. */
const objectBytes = 1024;
/** Duration of the load before the measurement, in milliseconds. Warms up compilers and caches. */
const warmUpMs = 1_500;
const watchesOnAConnection = 10;

const tasks = { creates, watches, latency };

process.once('message', async (task) => {
  try {
    process.send(await tasks[task.kind](task), () => process.exit(0));
  } catch (error) {
    process.send({ error: `${task.kind}: ${error.stack}` }, () => process.exit(1));
  }
});

async function creates(task) {
  const write = await writers(task);
  const warm = await write(warmUpMs);
  const { writes, ms } = await write(task.seconds * 1000);
  return { perSecond: writes / (ms / 1000), writes: warm.writes + writes };
}

async function watches(task) {
  const write = await writers(task);
  const seen = { events: 0 };
  let delivered = () => {};
  const connections = await connect(task, Math.ceil(task.watchers / watchesOnAConnection));
  const path = await watchPath(task, connections[0]);
  const streams = Array.from({ length: task.watchers }, (_, i) => connections[i % connections.length]);
  await Promise.all(
    streams.map((connection) =>
      connection.watch(path, (lines) => {
        seen.events += lines;
        delivered();
      }),
    ),
  );
  const until = (events) =>
    new Promise((resolve) => {
      delivered = () => seen.events >= events && resolve();
      delivered();
    });
  const warm = await write(warmUpMs);
  const before = warm.writes * task.watchers;
  await within(until(before), 'the first events');
  const started = performance.now();
  const { writes } = await write(task.seconds * 1000);
  await within(until(before + writes * task.watchers), 'the last events');
  return { perSecond: (writes * task.watchers) / ((performance.now() - started) / 1000) };
}

async function latency(task) {
  const [writer, watcher] = await connect(task, 2);
  let arrived = () => {};
  await watcher.watch(await watchPath(task, watcher), () => arrived());
  const samples = [];
  for (let i = 0; i < 1_500; i++) {
    const event = new Promise((resolve) => {
      arrived = () => resolve(performance.now());
    });
    const sent = performance.now();
    const answered = writer.post(collectionPath(task), configMap(`latency-${i}`));
    samples.push((await within(event, 'an event')) - sent);
    await answered;
    await sleep(1);
  }
  const warm = samples.slice(500);
  return { p50: quantile(warm, 0.5), p99: quantile(warm, 0.99) };
}

/** Runs clients until the deadline. Each client has its own connection and writes one object after another. */
async function writers(task) {
  const connections = await connect(task, task.clients);
  let made = 0;
  const prefix = `c${task.clients}`;
  return async (ms) => {
    const started = performance.now();
    const before = made;
    const client = async (connection) => {
      while (performance.now() - started < ms) {
        await connection.post(collectionPath(task), configMap(`${prefix}-${made++}`));
      }
    };
    await Promise.all(connections.map(client));
    return { writes: made - before, ms: performance.now() - started };
  };
}

const connect = (task, count) => Promise.all(Array.from({ length: count }, () => Connection.open(task)));
const collectionPath = ({ namespace }) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Returns the path of a watch that starts at the current version. */
async function watchPath(task, connection) {
  const { metadata } = JSON.parse(await connection.get(`${collectionPath(task)}?limit=1`));
  return `${collectionPath(task)}?watch=1&resourceVersion=${metadata.resourceVersion}`;
}

function configMap(name) {
  const text = (padding) =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{"app":"bench"}},"data":{"key":"${padding}"}}`;
  return Buffer.from(text('x'.repeat(objectBytes - text('').length)));
}

async function within(promise, what) {
  const late = sleep(60_000, undefined, { ref: false }).then(() => {
    throw new Error(`timed out after 60 s waiting for ${what}`);
  });
  return Promise.race([promise, late]);
}
