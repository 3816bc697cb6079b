import { spawnSync } from 'node:child_process';
import { Event, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { NetworkPolicy, type NetworkPolicySpec } from '@kubewright/apimachinery/networking/v1';
import type { KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from '../../cluster/embedded-cluster.ts';
import { findTools } from '../isolated/tools.ts';

const namespace = 'default';
const wait = { timeout: 20_000 };
const isRoot = process.getuid?.() === 0;
const found = findTools();
const isPossible =
  process.platform === 'linux' &&
  'tools' in found &&
  found.tools.nft !== undefined &&
  spawnSync('unshare', [...(isRoot ? [] : ['-Ur']), '-nm', found.tools.nft, 'list', 'ruleset']).status === 0;

const serve = `for (const port of [8080, 9090]) require('node:net').createServer((socket) => socket.on('error', () => {}).end('hello')).listen(port)`;
/** Prints a server's response, or `closed` if none arrives, as for dropped packets. */
const connect = `const [host, port] = process.argv.slice(1);
const socket = require('node:net').connect({ host, port });
const end = (result) => { console.log(result); process.exit(0); };
socket.on('data', (data) => end(String(data))).on('error', () => end('closed')).on('close', () => end('closed'));
setTimeout(() => end('closed'), 1_000);`;
const resolve = `require('node:dns').resolve4(process.argv[1], (error) => { console.log(error ? 'unknown' : 'known'); process.exit(0); });
setTimeout(() => { console.log('unknown'); process.exit(0); }, 1_000);`;

describe.skipIf(!isPossible)('NetworkPolicies on the isolated network', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let ips: Readonly<Record<string, string>>;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { network: 'isolated' } });
    client = cluster.client();
    const pods = { web: serve, front: 'setInterval(() => {}, 1e6)', other: 'setInterval(() => {}, 1e6)' };
    for (const [name, program] of Object.entries(pods)) {
      const probe = name === 'web' ? { readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 } } : {};
      const ports = name === 'web' ? { ports: [{ name: 'http', containerPort: 8080 }] } : {};
      const containers = [{ name: 'c', image: 'node', command: ['node', '-e', program], ...probe, ...ports }];
      const metadata = { name, namespace, labels: { app: name } };
      const spec = { containers, terminationGracePeriodSeconds: 0 };
      await client.resource(Pod).create(Pod({ metadata, spec }));
    }
    const spec = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] };
    await client.resource(Service).create(Service({ metadata: { name: 'web', namespace }, spec }));
    const isReady = ({ status }: Pod) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
    const signal = AbortSignal.timeout(30_000);
    const ready = Object.keys(pods).map((name) =>
      client.resource(Pod).waitFor({ namespace, name }, isReady, { signal }),
    );
    ips = Object.fromEntries(
      (await Promise.all(ready)).map(({ metadata, status }) => [metadata.name, status?.podIP ?? '']),
    );
  }, 60_000);
  afterAll(() => cluster?.stop());

  const apply = (name: string, spec: NetworkPolicySpec) =>
    client.resource(NetworkPolicy).apply({ metadata: { name, namespace }, spec }, { fieldManager: 'test' });
  const remove = (name: string) => client.resource(NetworkPolicy).delete({ namespace, name });
  const run = async (pod: string, program: string, ...args: readonly string[]): Promise<string> => {
    const command = await client.pods.exec({ namespace, name: pod }, { command: ['node', '-e', program, ...args] });
    return (await command.text()).stdout.trim();
  };
  /** Returns the results of connections from a pod to the server's two ports, directly, and to its Service. */
  const reached = async (pod: string) => {
    const { spec } = await client.resource(Service).get({ namespace, name: 'web' });
    const targets = [`${ips['web']} 8080`, `${ips['web']} 9090`, `${spec?.clusterIP} 80`];
    return Promise.all(targets.map((target) => run(pod, connect, ...target.split(' '))));
  };
  const open = ['hello', 'hello', 'hello'];
  const closed = ['closed', 'closed', 'closed'];

  it('restrict which clients reach a pod, directly and through a Service', { timeout: 60_000 }, async () => {
    await expect.poll(() => reached('other'), wait).toEqual(open);
    const from = [{ podSelector: { matchLabels: { app: 'front' } } }];
    const podSelector = { matchLabels: { app: 'web' } };
    await apply('front-only', { podSelector, ingress: [{ from, ports: [{ port: 'http' }] }] });
    await expect.poll(() => reached('other'), wait).toEqual(closed);
    expect(await reached('front')).toEqual(['hello', 'closed', 'hello']);

    const relabel = (app: string) =>
      client
        .resource(Pod)
        .patch({ namespace, name: 'other' }, { type: 'merge', body: { metadata: { labels: { app } } } });
    await relabel('front');
    await expect.poll(() => reached('other'), wait).toEqual(['hello', 'closed', 'hello']);
    await relabel('other');
    await expect.poll(() => reached('other'), wait).toEqual(closed);
    // Probes come from the node, which policies do not restrict.
    const { status } = await client.resource(Pod).get({ namespace, name: 'web' });
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');

    await remove('front-only');
    await expect.poll(() => reached('other'), wait).toEqual(open);
  });

  it('restrict which servers a pod reaches, including name servers', { timeout: 60_000 }, async () => {
    const name = 'web.default.svc.cluster.local';
    const podSelector = { matchLabels: { app: 'other' } };
    await apply('closed', { podSelector, policyTypes: ['Egress'] });
    await expect.poll(() => reached('other'), wait).toEqual(closed);
    expect(await run('other', resolve, name)).toBe('unknown');
    expect(await run('front', resolve, name)).toBe('known');

    const dns = { podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } }, namespaceSelector: {} };
    const ports = [{ port: 53, protocol: 'UDP' }] as const;
    const web = { podSelector: { matchLabels: { app: 'web' } } };
    await apply('some', {
      podSelector,
      policyTypes: ['Egress'],
      egress: [
        { to: [dns], ports },
        { to: [web], ports: [{ port: 'http' }] },
      ],
    });
    await expect.poll(() => run('other', resolve, name), wait).toBe('known');
    expect(await reached('other')).toEqual(['hello', 'closed', 'hello']);
    await remove('closed');
    await remove('some');
    await expect.poll(() => reached('other'), wait).toEqual(open);
  });

  it('cause neither warnings nor events', async () => {
    const { items } = await client.resource(Event).list({ namespace });
    expect(items.filter(({ involvedObject }) => involvedObject.kind === 'NetworkPolicy')).toEqual([]);
  });
});
