import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Pod, Service } from '@kubewright/apimachinery/core/v1';
import { accountExists, PodCounts, pause } from './pod-counts.mjs';

const namespace = 'default';
const seconds = 5;
/** Sends data endlessly to clients that request it, and one byte to other clients. */
const server = `
const chunk = Buffer.alloc(262144);
require('node:net').createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', (byte) => {
    if (byte[0] !== 98) return socket.end('x');
    const send = () => { while (socket.write(chunk)); };
    socket.on('drain', send);
    send();
  });
}).listen(8080, process.env.POD_IP);
`;

/**
 * Measures traffic from this process to a pod: through the Service's address, through socat if it is installed, and directly.
 * `gigabits` is the throughput of one connection in Gbit/s; `cpuSecondsPerGb` is the processor time of the cluster's process, which
 * contains the proxy; `connections` is the number of new connections per second.
 */
export async function measureTraffic({ client, cpuSeconds }, { limitMs }) {
  await accountExists(client);
  const labels = { app: 'server' };
  const env = [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
  const containers = [{ name: 'main', image: 'node:22', command: ['node', '-e', server], env }];
  const pods = new PodCounts(client, namespace);
  await client
    .resource(Service)
    .create(Service({ metadata: { name: 'server', namespace }, spec: { selector: labels, ports: [{ port: 8080 }] } }));
  await client.resource(Pod).create(Pod({ metadata: { name: 'server', namespace, labels }, spec: { containers } }));
  await pods.until(() => pods.ready === 1, { limitMs });
  pods.stop();
  const { spec } = await client.resource(Service).get({ namespace, name: 'server' });
  const { status } = await client.resource(Pod).get({ namespace, name: 'server' });
  await reaches(spec.clusterIP, limitMs);
  const service = await traffic(spec.clusterIP, 8080, cpuSeconds);
  const results = { service, direct: await traffic(status.podIP, 8080) };
  if (spawnSync('socat', ['-V']).error) return results;
  const port = 20_000 + Math.floor(Math.random() * 1_000);
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
  const socat = spawn('socat', ['-b262144', listen, `TCP:${status.podIP}:8080`], { stdio: 'ignore' });
  await pause(500);
  try {
    return { ...results, socat: await traffic('127.0.0.1', port) };
  } finally {
    socat.kill();
  }
}

/** Waits until the proxy forwards connections. */
async function reaches(host, limitMs) {
  const startedAt = performance.now();
  while (!(await visit(host, 8080))) {
    if (performance.now() - startedAt > limitMs) throw new Error(`the Service does not respond at ${host}:8080`);
    await pause(20);
  }
}

async function traffic(host, port, cpuSeconds = () => Number.NaN) {
  return { ...(await throughput(host, port, cpuSeconds)), connections: await connectionRate(host, port) };
}

async function throughput(host, port, cpuSeconds) {
  let received = 0;
  const buffer = Buffer.alloc(262_144);
  const callback = (size) => {
    received += size;
    return true;
  };
  const socket = connect({ host, port, onread: { buffer, callback } });
  await once(socket, 'connect');
  socket.write('b');
  await pause(500);
  const before = received;
  const cpuBefore = cpuSeconds();
  const startedAt = performance.now();
  await pause(seconds * 1_000);
  const bytes = received - before;
  const cpuSecondsPerGb = (cpuSeconds() - cpuBefore) / (bytes / 1e9);
  const gigabits = (bytes * 8) / 1e6 / (performance.now() - startedAt);
  socket.destroy();
  return { gigabits, cpuSecondsPerGb };
}

async function connectionRate(host, port) {
  let made = 0;
  const end = performance.now() + seconds * 1_000;
  const visitor = async () => {
    while (performance.now() < end) if (await visit(host, port)) made++;
  };
  await Promise.all(Array.from({ length: 8 }, visitor));
  return made / seconds;
}

/** Connects, waits for a byte, and disconnects. Returns false if that fails. */
function visit(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('data', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.write('a');
  });
}
