import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { IsolatedNetwork } from './isolated-network.ts';
import { findTools } from './tools.ts';

const isRoot = process.getuid?.() === 0;
const found = findTools();
/** Needs Linux with user namespaces, and nftables. */
const isPossible =
  process.platform === 'linux' &&
  'tools' in found &&
  found.tools.nft !== undefined &&
  spawnSync('unshare', [...(isRoot ? [] : ['-Ur']), '-nm', found.tools.nft, 'list', 'ruleset']).status === 0;

it.skipIf(!isPossible)('lets only the node of a restricted pod reach it', { timeout: 30_000 }, async () => {
  await using network = await IsolatedNetwork.start({ nodes: 2, dns: undefined });
  const node = network.forNode(0);
  const { ip, enter } = await node.attach('pod');
  const serve = `require('net').createServer((socket) => socket.end('hello')).listen(80, () => console.log('up'))`;
  const [file = '', ...args] = [...enter, '--', process.execPath, '-e', serve];
  const server = execFile(file, args);
  if (server.stdout) await once(server.stdout, 'data');
  /** Connects from an address of the nodes' network. */
  const from = async (localAddress: string): Promise<string> => {
    const script = `const socket = require('net').connect({ host: '${ip}', port: 80, localAddress: '${localAddress}' });
      const end = (result) => { console.log(result); process.exit(0); };
      socket.on('data', (data) => end(String(data))).on('error', (error) => end(error.code));
      setTimeout(() => end('dropped'), 1_000);`;
    const [program = '', ...words] = [...node.enterNode, '--', process.execPath, '-e', script];
    return (await promisify(execFile)(program, words)).stdout.trim();
  };
  const all = () => Promise.all(['172.18.0.2', '172.18.0.3', '10.244.0.1'].map(from));
  expect(await all()).toEqual(['hello', 'hello', 'hello']);
  await network.restrict('pod', { ingress: [], egress: undefined });
  // Probes and the proxy of Services connect from the last address.
  expect(await all()).toEqual(['hello', 'dropped', 'hello']);
  const other = [{ peers: [{ cidr: '172.18.0.3/32', except: [] }], ports: undefined }];
  await network.restrict('pod', { ingress: other, egress: undefined });
  expect(await all()).toEqual(['hello', 'hello', 'hello']);
});
