import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Event, Node, Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from '../cluster/embedded-cluster.ts';

const namespace = 'default';
const wait = { timeout: 20_000 };

/** A TCP and UDP server on POD_IP that responds with the pod's name and the data received from the client. */
const server = `
const { POD_IP: host, HOSTNAME: name } = process.env;
require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => { heard += chunk; });
  socket.on('end', () => socket.end(name + ' heard ' + heard));
}).listen(8080, host);
const udp = require('node:dgram').createSocket('udp4');
udp.on('message', (message, { address, port }) => udp.send(name + ' heard ' + message, port, address));
udp.bind(8081, host);
`;

/** Sends a word and returns the response, or the error's code. */
async function ask(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, allowHalfOpen: true });
  try {
    await once(socket, 'connect');
    socket.end('hello');
    return await text(socket);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}

async function askByDatagram(host: string, port: number): Promise<string> {
  const socket = createSocket('udp4');
  try {
    socket.send('hello', port, host);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    return answer.toString();
  } finally {
    socket.close();
  }
}

describe('services on the loopback network', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { count: 2 } });
    client = cluster.client();
    await deploy();
  });
  afterAll(() => cluster.stop());

  const labels = { app: 'web' };
  const deploy = () =>
    client.resource(Deployment).create(
      Deployment({
        metadata: { name: 'web', namespace },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              terminationGracePeriodSeconds: 1,
              containers: [
                {
                  name: 'c',
                  image: 'node:22',
                  command: ['node', '-e', server],
                  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
                },
              ],
            },
          },
        },
      }),
    );
  const readyPods = async (): Promise<readonly string[]> => {
    const { items } = await client.resource(Pod).list({ namespace, labelSelector: 'app=web' });
    const ready = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
    return ready.map(({ metadata }) => metadata.name).sort();
  };
  const expose = (name: string, spec: Service['spec']) =>
    client.resource(Service).create(Service({ metadata: { name, namespace }, spec: { selector: labels, ...spec } }));
  /** Sends requests until every ready pod has responded. */
  const answering = async (host: string, port: number): Promise<readonly string[]> => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(host, port)));
    return [...new Set(answers)].map((answer) => answer.replace(/ heard hello$/, '')).sort();
  };

  it('reach all replicas through the cluster IP', async () => {
    await expect.poll(readyPods, wait).toHaveLength(2);
    const { spec } = await expose('web', { ports: [{ port: 8888, targetPort: 8080 }] });
    expect(spec?.clusterIP).toMatch(/^127\.\d+\.\d+\.\d+$/);
    await expect.poll(() => answering(spec?.clusterIP ?? '', 8888), wait).toEqual(await readyPods());
  });

  it('reach replicas through node ports, on this machine and on each node', async () => {
    const { spec } = await expose('ported', { type: 'NodePort', ports: [{ port: 8888, targetPort: 8080 }] });
    const nodePort = spec?.ports?.[0]?.nodePort ?? 0;
    await expect.poll(() => answering('127.0.0.1', nodePort), wait).toEqual(await readyPods());
    const [pod] = (await client.resource(Pod).list({ namespace, labelSelector: 'app=web' })).items;
    expect(await answering(pod?.status?.hostIP ?? '', nodePort)).toEqual(await readyPods());
  });

  it('reach replicas through node ports at the current address of a node', async () => {
    const { spec } = await expose('moving', { type: 'NodePort', ports: [{ port: 8080 }] });
    const nodePort = spec?.ports?.[0]?.nodePort ?? 0;
    const [, range] = spec?.clusterIP?.split('.') ?? [];
    const [first, second] = [1, 2].map((last) => `127.${range}.250.${last}`);
    const nodes = client.resource(Node);
    const { metadata } = await nodes.create(Node({ metadata: { name: 'moving' } }));
    const moveTo = (address: string | undefined) =>
      nodes.status.patch(metadata, {
        type: 'merge',
        body: { status: { addresses: [{ type: 'InternalIP', address }] } },
      });
    await moveTo(first);
    await expect.poll(() => answering(first ?? '', nodePort), wait).toEqual(await readyPods());
    await moveTo(second);
    await expect.poll(() => answering(second ?? '', nodePort), wait).toEqual(await readyPods());
    expect(await answering(first ?? '', nodePort)).toEqual(['ECONNREFUSED']);
    await nodes.delete(metadata);
  });

  it('reach replicas through the node port of a new node once another program releases the port', async () => {
    const { spec } = await expose('occupied', { type: 'NodePort', ports: [{ port: 8080 }] });
    const nodePort = spec?.ports?.[0]?.nodePort ?? 0;
    const [, range] = spec?.clusterIP?.split('.') ?? [];
    const address = `127.${range}.250.3`;
    const other = createServer().listen(nodePort, address);
    await once(other, 'listening');
    const status = { addresses: [{ type: 'InternalIP', address }] };
    const nodes = client.resource(Node);
    const { metadata } = await nodes.create(Node({ metadata: { name: 'occupied' } }));
    await nodes.status.patch(metadata, { type: 'merge', body: { status } });
    const notes = async () =>
      (await client.resource(Event).list({ namespace })).items
        .filter(({ involvedObject, reason }) => involvedObject.name === 'occupied' && reason === 'ListenFailed')
        .map(({ message }) => message);
    await expect.poll(notes, wait).toEqual([expect.stringContaining(address)]);
    other.close();
    await expect.poll(() => answering(address, nodePort), wait).toEqual(await readyPods());
    await nodes.delete(metadata);
  });

  it('reach replicas through the address of a load balancer', async () => {
    await expose('balanced', { type: 'LoadBalancer', ports: [{ port: 8888, targetPort: 8080 }] });
    const address = async () => {
      const { status } = await client.resource(Service).get({ namespace, name: 'balanced' });
      return status?.loadBalancer?.ingress?.[0]?.ip ?? '';
    };
    await expect.poll(address, wait).toMatch(/^127\.\d+\.\d+\.\d+$/);
    await expect.poll(async () => answering(await address(), 8888), wait).toEqual(await readyPods());
  });

  it('admit the clients of a load balancer by their source ranges', async () => {
    const ports = [{ port: 8888, targetPort: 8080 }];
    await expose('ranged', { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'], ports });
    const resource = client.resource(Service);
    const get = () => resource.get({ namespace, name: 'ranged' });
    const address = async () => (await get()).status?.loadBalancer?.ingress?.[0]?.ip ?? '';
    await expect.poll(address, wait).toMatch(/^127\./);
    const host = await address();
    await expect.poll(() => ask(host, 8888), wait).toMatch(/^(ECONNRESET|EPIPE)$/);
    expect(await answering((await get()).spec?.clusterIP ?? '', 8888)).toEqual(await readyPods());
    const body = { spec: { loadBalancerSourceRanges: ['127.0.0.0/8'] } };
    await resource.patch({ namespace, name: 'ranged' }, { type: 'merge', body });
    await expect.poll(() => answering(host, 8888), wait).toEqual(await readyPods());
  });

  it('forward datagrams', async () => {
    const { spec } = await expose('datagrams', { ports: [{ port: 8889, targetPort: 8081, protocol: 'UDP' }] });
    const listening = async () => (await faults('datagrams')).length === 0 && (await ask(spec?.clusterIP ?? '', 1));
    await expect.poll(listening, wait).toBe('ECONNREFUSED');
    await expect
      .poll(
        () => Promise.race([askByDatagram(spec?.clusterIP ?? '', 8889), once(AbortSignal.timeout(500), 'abort')]),
        wait,
      )
      .toMatch(/^web-.* heard hello$/);
  });

  const faults = async (name: string): Promise<readonly string[]> => {
    const { items } = await client.resource(Event).list({ namespace });
    return items
      .filter(({ reason, involvedObject }) => reason === 'ListenFailed' && involvedObject.name === name)
      .map(({ message = '' }) => message);
  };

  it.each(['203.0.113.1', '::'])('do not listen at %s, which is not a loopback address', async (ip) => {
    const name = `external-${ip.replace(/\W+/g, '-')}a`;
    // Another controller's load balancer.
    const balancer = { type: 'LoadBalancer', loadBalancerClass: 'example.com/other' } as const;
    await expose(name, { ...balancer, ports: [{ port: 8888, targetPort: 8080 }] });
    const body = { status: { loadBalancer: { ingress: [{ ip }] } } };
    await client.resource(Service).status.patch({ namespace, name }, { type: 'merge', body });
    await expect
      .poll(() => faults(name), wait)
      .toContain(
        `cannot listen on ${ip}:8888/TCP: not a loopback address of this machine; use an address in 127.0.0.0/8, because services are not exposed to other machines`,
      );
  });

  it('serve the API to pods', async () => {
    const { spec } = await client.resource(Service).get({ namespace, name: 'kubernetes' });
    const host = spec?.clusterIP ?? '';
    if (process.getuid?.() !== 0) return;
    // The server responds to an empty request by closing the connection.
    await expect.poll(() => ask(host, 443), wait).not.toBe('ECONNREFUSED');
  });

  it('refuse connections without endpoints', async () => {
    const { spec } = await client.resource(Service).get({ namespace, name: 'web' });
    expect(await answering(spec?.clusterIP ?? '', 8888)).not.toContain('ECONNREFUSED');
    await client
      .resource(Deployment)
      .patch({ namespace, name: 'web' }, { type: 'merge', body: { spec: { replicas: 0 } } });
    await expect.poll(() => answering(spec?.clusterIP ?? '', 8888), wait).toEqual(['ECONNREFUSED']);
  });
});
