/**
 * The Node program that runs inside a cluster's network namespace. Sockets belong to the namespace in which they are created, so
 * the program creates them on request and passes them to the cluster's process. It also adds and removes the network interfaces
 * of pods, and restricts their traffic. When the cluster's process ends, even if it is killed, the program kills every process in
 * its namespaces and exits.
 *
 * It is a separate script because a process cannot enter another network namespace for only some of its sockets.
 */
export const helperProgram = `
const { spawn } = require('node:child_process');
const { createSocket } = require('node:dgram');
const { readdirSync, readlinkSync } = require('node:fs');
const net = require('node:net');
const [unshare, nsenter, sh, ip] = process.argv.slice(1);
const pods = new Map();
const own = readlinkSync('/proc/self/ns/net');
const links = batch([ip, '-oneline', '-force', '-batch', '-']);
let ending = false;

function batch([file, ...args]) {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  const waiting = [];
  child.stderr.on('data', (chunk) => { errors += chunk; });
  child.stdout.on('data', (chunk) => {
    // Each list of commands ends with a query whose output is one line. Errors were written before it.
    // seam: a turn of the event loop, in which they are read.
    for (const byte of chunk) if (byte === 10) setImmediate(finished);
  });
  const finished = () => {
    const text = errors.trim();
    errors = '';
    waiting.shift()?.(text);
  };
  const failed = (error) => { for (const done of waiting.splice(0)) done(String(error)); };
  // After its last error message.
  child.on('error', failed).on('close', () => failed(errors.trim() || 'ip has exited'));
  child.stdin.on('error', failed);
  return {
    child,
    run: (commands) => new Promise((resolve, reject) => {
      waiting.push((text) => (text === '' ? resolve() : reject(new Error(text))));
      child.stdin.write([...commands, 'link show dev lo', ''].join('\\n'));
    }),
  };
}

const operations = {
  async configure({ commands }) {
    await links.run(commands);
  },
  async addPod({ key, links: outside, commands }) {
    const script = '{ echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range; } 2>/dev/null; exec "$0" -oneline -force -batch -';
    const inside = batch([unshare, '--net', '--', sh, '-c', script, ip]);
    const { pid } = inside.child;
    pods.set(key, inside);
    try {
      // It has its own namespace once it responds.
      await inside.run([]);
      await links.run(outside.map((command) => command.replace('PID', String(pid))));
      await inside.run(commands);
    } catch (error) {
      // Its interface goes with the namespace.
      await operations.removePod({ key });
      throw error;
    }
    return { pid };
  },
  filterPod: ({ key, nft, ruleset }) => new Promise((resolve, reject) => {
    const pod = pods.get(key);
    // It has ended.
    if (!pod) return resolve();
    const child = spawn(nsenter, ['--net=/proc/' + pod.child.pid + '/ns/net', nft, '-f', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk) => { errors += chunk; });
    child.stdin.on('error', () => {});
    child.on('error', reject).on('close', (code) => (code === 0 ? resolve() : reject(new Error(errors.trim() || 'nft failed'))));
    child.stdin.end(ruleset);
  }),
  async removePod({ key }) {
    pods.get(key)?.child.kill('SIGKILL');
    pods.delete(key);
  },
  listen: ({ host, port }) => new Promise((resolve, reject) => {
    const server = net.createServer({ pauseOnConnect: true });
    server.on('error', reject);
    server.listen({ host, port }, () => resolve({ handle: server, sent: () => server.close() }));
  }),
  connect: ({ host, port }) => new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, allowHalfOpen: true, noDelay: true });
    // The receiver reads the data.
    socket.pause();
    // A connection that breaks later arrives without its socket.
    socket.on('error', reject);
    socket.once('connect', () => resolve({ handle: socket, sent: () => undefined }));
  }),
  bind: ({ host, port }) => new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.on('error', reject);
    socket.bind({ address: host, port }, () => resolve({ handle: socket, sent: () => socket.close() }));
  }),
};

process.on('message', async ({ id, operation, parameters }) => {
  try {
    const { handle, sent, ...result } = (await operations[operation](parameters)) ?? {};
    process.send({ id, result }, handle, { keepOpen: false }, () => sent?.());
  } catch (error) {
    const { message, code, syscall } = error;
    process.send?.({ id, error: { message, code, syscall } });
  }
});

function namespaceOf(pid) {
  try { return readlinkSync('/proc/' + pid + '/ns/net'); } catch { return undefined; }
}

/** Kills all processes in the namespaces; a process that forks in the meantime is found by the next look. */
function endAll() {
  if (ending) return;
  ending = true;
  const namespaces = new Set([own, ...[...pods.values()].map(({ child }) => namespaceOf(child.pid))]);
  namespaces.delete(undefined);
  for (let look = 0; look < 20; look++) {
    const found = readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid && namespaces.has(namespaceOf(name)));
    if (found.length === 0) break;
    for (const pid of found) {
      // The pid may have been reused since the folder was read.
      try { if (namespaces.has(namespaceOf(pid))) process.kill(Number(pid), 'SIGKILL'); } catch {}
    }
  }
  process.exit(0);
}
process.on('disconnect', endAll);
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
process.on('SIGTERM', endAll);
process.send({ ready: true });
`;
