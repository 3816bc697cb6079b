import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostSockets } from '../sockets.ts';
import { TcpForwarder } from '../tcp-forwarder.ts';
import { helperProgram } from './helper-program.ts';
import { NetworkNamespace } from './network-namespace.ts';
import { findTools, type IsolationTools } from './tools.ts';

const isRoot = process.getuid?.() === 0;
const found = findTools();
const isPossible =
  'tools' in found &&
  process.platform === 'linux' &&
  spawnSync('unshare', [...(isRoot ? [] : ['-Ur']), '-nm', 'true']).status === 0;

describe.skipIf(!isPossible)('NetworkNamespace', () => {
  let network: NetworkNamespace;
  const run = async ([file = '', ...args]: readonly string[]) => (await promisify(execFile)(file, args)).stdout;
  const node = (script: string) => [process.execPath, '-e', script];

  beforeAll(async () => {
    const { tools } = found as { readonly tools: IsolationTools };
    network = await NetworkNamespace.start({
      tools,
      isRoot,
      gateway: '10.244.0.1',
      services: '10.96.0.0/12',
      nodes: ['172.18.0.2'],
    });
  });
  afterAll(() => network[Symbol.asyncDispose]());

  it('attaches pods that reach each other and the services, but not this machine', async () => {
    const a = await network.addPod({ key: 'a', device: 'kwa', ip: '10.244.0.5' });
    const b = await network.addPod({ key: 'b', device: 'kwb', ip: '10.244.0.6' });
    const listener = execFile(a[0] ?? '', [
      ...a.slice(1),
      '--',
      ...node(
        "require('net').createServer((s) => s.end(s.remoteAddress)).listen(80, '0.0.0.0', () => console.log('up'))",
      ),
    ]);
    await once(listener.stdout ?? listener, 'data');
    const ask = (host: string, port: number) =>
      node(`require('net').connect(${port}, '${host}').on('error', (e) => console.log(e.code)).pipe(process.stdout)`);
    expect(await run([...b, '--', ...ask('10.244.0.5', 80)])).toBe('10.244.0.6');
    const service = await network.listen({ host: '10.96.0.10', port: 80 });
    using _ = new TcpForwarder({ server: service, open: () => network.connect({ host: '10.244.0.5', port: 80 }) });
    expect(await run([...b, '--', ...ask('10.96.0.10', 80)])).toBe('10.244.0.1');
    const here = await hostSockets.listen({ host: '127.0.0.1', port: 0 });
    const { port } = here.address() as { port: number };
    expect(await run([...b, '--', ...ask('127.0.0.1', port)])).toBe('ECONNREFUSED\n');
    here.close();
    expect(await text(await network.connect({ host: '10.244.0.5', port: 80 }))).toBe('10.244.0.1');
    await network.removePod('b');
    listener.kill('SIGKILL');
    await once(listener, 'exit');
    await expect(network.connect({ host: '10.244.0.5', port: 80 })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await network.removePod('a');
  });

  it('forwards datagrams', async () => {
    const server = await network.bind({ host: '10.96.0.10', port: 53 });
    server.on('message', (message, { address, port }) => server.send(`${message} back`, port, address));
    const client = await network.bind({ host: '0.0.0.0', port: 0 });
    client.send('there and', 53, '10.96.0.10');
    const [answer] = (await once(client, 'message')) as [Buffer];
    expect(answer.toString()).toBe('there and back');
    client.close();
    server.close();
  });

  it("fails with the system's errors", async () => {
    await expect(network.listen({ host: '192.0.2.1', port: 80 })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
    await expect(network.addPod({ key: 'x', device: 'kw0', ip: '10.244.0.9' })).rejects.toThrow('File exists');
  });

  it('leaves nothing behind if a pod cannot be attached', async () => {
    const [, helper = ''] = /\/proc\/(\d+)\/ns\/net/.exec(network.enterHost().join(' ')) ?? [];
    const children = () => readFileSync(`/proc/${helper}/task/${helper}/children`, 'utf8').trim().split(' ');
    const devices = () => run([...network.enterHost(), '--', 'ip', '-o', 'link']);
    await expect(network.addPod({ key: 'y', device: 'kw0', ip: '10.244.0.9' })).rejects.toThrow('File exists');
    await expect(network.addPod({ key: 'y', device: 'kwy', ip: '10.244.0.300' })).rejects.toThrow('10.244.0.300');
    // One child changes the interfaces of the cluster's network; the others keep the pods' namespaces.
    await expect.poll(children, { timeout: 30_000 }).toHaveLength(1);
    await expect.poll(devices, { timeout: 30_000 }).not.toMatch(/kw[a-z]/);
    const words = await network.addPod({ key: 'y', device: 'kwy', ip: '10.244.0.9' });
    expect(await run([...words, '--', 'ip', '-o', '-4', 'addr', 'show', 'eth0'])).toContain('10.244.0.9/16');
    await network.removePod('y');
  });

  it('handles errors of its sockets, so they do not end this process', async () => {
    const server = await network.listen({ host: '10.96.0.11', port: 80 });
    const datagrams = await network.bind({ host: '10.96.0.11', port: 53 });
    // The system reports EMFILE if too many files are open.
    for (const socket of [server, datagrams]) expect(() => socket.emit('error', new Error('EMFILE'))).not.toThrow();
    server.close();
    datagrams.close();
  });

  it('leaves nothing behind when the process that started it is killed', async () => {
    const { tools } = found as { readonly tools: IsolationTools };
    const { unshare, nsenter, sh, ip } = tools;
    const user = isRoot ? [] : ['--user', '--map-root-user'];
    const enter = isRoot ? '' : '--preserve-credentials --user=/proc/$HELPER/ns/user';
    const script = `
      const { spawn } = require('node:child_process');
      const [program, ...words] = JSON.parse(process.argv[1]);
      const helper = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true });
      helper.once('message', () => {
        helper.send({ id: 1, operation: 'addPod', parameters: { key: 'a', links: [], commands: ['link set lo up'] } });
        helper.on('message', ({ result: { pid } }) => {
          const env = { ...process.env, HELPER: helper.pid, POD: pid };
          const start = 'exec ${nsenter} ${enter} --net=/proc/$POD/ns/net -- sleep 1000';
          const sleeper = spawn('sh', ['-c', start], { env, stdio: 'ignore', detached: true });
          setInterval(() => console.log([helper.pid, pid, sleeper.pid].join()), 50);
        });
      });
    `;
    const words = [
      unshare,
      ...user,
      '--net',
      '--mount',
      '--',
      process.execPath,
      '-e',
      helperProgram,
      unshare,
      nsenter,
      sh,
      ip,
    ];
    const parent = spawn(process.execPath, ['-e', script, JSON.stringify(words)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pids] = (await once(parent.stdout, 'data')) as [Buffer];
    const namespaceOf = (pid: string): string | undefined => {
      try {
        return readlinkSync(`/proc/${pid}/ns/net`);
      } catch {
        return undefined;
      }
    };
    const [, pod = '', sleeper = ''] = pids.toString().trim().split('\n')[0]?.split(',') ?? [];
    await expect.poll(() => namespaceOf(sleeper), { timeout: 30_000 }).toBe(namespaceOf(pod));
    parent.kill('SIGKILL');
    const left = () => pids.toString().trim().split('\n')[0]?.split(',').filter(isRunning);
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  });
});

/** True if a process runs and has not ended yet. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
