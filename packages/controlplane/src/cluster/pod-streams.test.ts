import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AttachOptions, ExecOptions, PortForwardOptions } from '../kube-apiserver/pods/node-connector.ts';
import { EmbeddedCluster } from './embedded-cluster.ts';
import { readKubeconfig } from './testdata/read-kubeconfig.ts';

const path = '/api/v1/namespaces/default/pods/p';

/** A fake node that echoes its request. */
const connector = {
  logs: async () => (async function* () {})(),
  async exec(_pod: unknown, { command, stdin, stdout, stderr }: ExecOptions) {
    await stdout(Buffer.from(command.join('|')));
    for await (const chunk of stdin ?? []) await stderr(chunk);
    return { exitCode: command.length };
  },
  async attach(_pod: unknown, { container, stdout, stderr }: AttachOptions) {
    await stdout(Buffer.from(container));
    await stderr(Buffer.from('not wanted'));
  },
  async portForward(_pod: unknown, { port, input, output }: PortForwardOptions) {
    if (port === 1) throw new Error('nothing is listening');
    for await (const chunk of input) {
      await output(Buffer.from(`${port}:${Buffer.from(chunk).toString()}`));
      return;
    }
  },
};

describe('pod streams over raw WebSocket and SPDY requests', () => {
  let directory: string;
  let cluster: EmbeddedCluster;
  let tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kw-channels-'));
    const parts = { clock: systemClock, random: systemRandom, log: silentLogger };
    cluster = await EmbeddedCluster.start({ directory, ...parts, connector });
    tls = readKubeconfig(cluster.kubeconfig);
    const metadata = { name: 'own', namespace: 'default' };
    await cluster.client().resource(ServiceAccount).create(ServiceAccount({ metadata }));
    await cluster
      .client()
      .resource(Pod)
      .create(
        Pod({
          metadata: { name: 'p', namespace: 'default' },
          spec: { serviceAccountName: 'own', nodeName: 'elsewhere', containers: [{ name: 'c', image: 'i' }] },
        }),
      );
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Sends messages over a WebSocket and waits until the server closes it. Returns the received data by channel. */
  function talk(below: string, options: { readonly protocol: string; readonly say?: readonly Buffer[] }) {
    const socket = new WebSocket(`${cluster.url}${path}${below}`.replace('https', 'wss'), options.protocol, tls);
    const heard: Record<number, string> = {};
    socket.on('open', () => {
      for (const message of options.say ?? []) socket.send(message);
    });
    socket.on('message', (data: Buffer) => {
      const [channel = 0] = data;
      heard[channel] = (heard[channel] ?? '') + data.subarray(1).toString('latin1');
    });
    return new Promise<Record<number, string>>((resolve, reject) => {
      socket.on('close', () => resolve(heard)).on('error', reject);
    });
  }

  /** Requests an upgrade to SPDY and returns the server's response. */
  function upgrade(
    below: string,
    { method = 'POST', headers }: { readonly method?: string; readonly headers: Readonly<Record<string, string>> },
  ) {
    return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const asked = request(`${cluster.url}${path}${below}`, { method, headers, agent: false, ...tls });
      asked.on('error', reject).on('upgrade', (response, socket) => {
        socket.destroy();
        resolve({ status: 101, text: String(response.headers['x-stream-protocol-version']) });
      });
      asked.on('response', async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, text });
      });
      asked.end();
    });
  }
  const spdy = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };

  it.each(['v4.channel.k8s.io', 'portforward.k8s.io'])('forwards ports over channels (%s)', async (protocol) => {
    const say = [Buffer.from('\x00hello'), Buffer.from('\x02world'), Buffer.from('\x07nobody'), Buffer.of()];
    expect(await talk('/portforward?ports=8080,9090&ports=1', { protocol, say })).toEqual({
      0: '\x90\x1f8080:hello',
      1: '\x90\x1f',
      2: '\x82\x239090:world',
      3: '\x82\x23',
      4: '\x01\x00',
      5: '\x01\x00nothing is listening',
    });
  });

  it('runs a command with output, input until it ends, and exit code', async () => {
    const say = [Buffer.from('\x00typed'), Buffer.of(255, 0)];
    const query = '?command=a&command=b%20c&stdin=true&stdout=true&stderr=true';
    const heard = await talk(`/exec${query}`, { protocol: 'v5.channel.k8s.io', say });
    expect([heard[1], heard[2]]).toEqual(['a|b c', 'typed']);
    expect(JSON.parse(heard[3] ?? '')).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '2' }] },
    });
  });

  it.each([
    ['long', 5, 1 << 20],
    ['empty', 1_025, 0],
  ])('disconnects a client that sends a message of endless %s fragments', async (_, count, size) => {
    const url = `${cluster.url}${path}/exec?command=a&stdin=true&stdout=true`.replace('https', 'wss');
    const socket = new WebSocket(url, 'v5.channel.k8s.io', tls);
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    socket.on('open', () => {
      for (let i = 0; i < count; i++) socket.send(Buffer.alloc(size), { fin: false });
    });
    socket.on('error', () => {}); // the server may reset the connection
    expect([1006, 1008, 1009]).toContain(await closed);
  });

  it('attaches only the requested streams', async () => {
    const heard = await talk('/attach?stdout=true', { protocol: 'v4.channel.k8s.io' });
    expect(heard).toEqual({ 1: 'c', 3: '{"metadata":{},"status":"Success"}' });
  });

  it.each([
    ['/portforward', { ...spdy, 'x-stream-protocol-version': 'portforward.k8s.io' }, 101, 'portforward.k8s.io'],
    [
      '/exec?command=a&stdout=1',
      { ...spdy, 'x-stream-protocol-version': 'v5.channel.k8s.io, v4.channel.k8s.io' },
      101,
      'v4.channel.k8s.io',
    ],
    [
      '/portforward',
      { ...spdy, 'x-stream-protocol-version': 'portforward.k9s.io' },
      400,
      'server accepts [portforward.k8s.io]',
    ],
    ['/portforward', {}, 400, 'Upgrade request required'],
    ['/exec?command=a&stdout=1', {}, 400, 'Upgrade request required'],
    ['/attach?stdin=false', spdy, 400, 'at least 1 of stdin, stdout, stderr'],
  ])('responds to POST %s with headers %o with status %i and %s', async (below, headers, status, text) => {
    const answer = await upgrade(below, { headers });
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  it.each(['exec?command=a&stdout=1', 'attach?stdout=1', 'portforward?ports=1'])(
    'forbids %s for a user with read-only access',
    async (below) => {
      const user = `reader-of-${below.slice(0, 4)}`;
      const name = user;
      const [subresource = ''] = below.split('?');
      const roles = cluster.client().resource(Role);
      const rules = (verbs: string[]) => [{ apiGroups: [''], resources: [`pods/${subresource}`], verbs }];
      const metadata = { name, namespace: 'default' };
      const apiVersion = 'rbac.authorization.k8s.io/v1';
      const role = await roles.create({ apiVersion, kind: 'Role', metadata, rules: rules(['get']) });
      await cluster
        .client()
        .resource(RoleBinding)
        .create({
          apiVersion,
          kind: 'RoleBinding',
          metadata,
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        });
      const headers = { 'impersonate-user': user };
      const ask = () => upgrade(`/${below}`, { method: 'GET', headers });
      const refused = await ask();
      expect(refused.status).toBe(403);
      expect(refused.text).toContain(`User \\"${user}\\" cannot create resource \\"pods/${subresource}\\"`);
      await roles.update({ ...role, rules: rules(['get', 'create']) });
      await expect.poll(async () => (await ask()).text).toContain('Upgrade request required');
    },
  );

  it.each(['?ports=0', '?ports=70000', '?ports=x', '', `?ports=${'1,'.repeat(70)}1`])(
    'rejects port forwarding with query %s',
    async (query) => {
      await expect(talk(`/portforward${query}`, { protocol: 'v4.channel.k8s.io' })).rejects.toThrow(/400/);
    },
  );
});
