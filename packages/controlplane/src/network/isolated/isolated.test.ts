import { spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, type Container, Event, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { Ingress } from '@kubewright/apimachinery/networking/v1';
import type { KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from '../../cluster/embedded-cluster.ts';
import { hostSockets } from '../sockets.ts';

const namespace = 'default';
const wait = { timeout: 20_000 };
const isRoot = process.getuid?.() === 0;
const isPossible =
  process.platform === 'linux' && spawnSync('unshare', [...(isRoot ? [] : ['-Ur']), '-nm', 'true']).status === 0;

describe.skipIf(!isPossible)('pods on the isolated network', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { network: 'isolated' } });
    client = cluster.client();
  });
  afterAll(() => cluster.stop());

  const create = (name: string, spec: Pod['spec'], labels: Readonly<Record<string, string>> = {}) =>
    client.resource(Pod).create(
      Pod({
        metadata: { name, namespace, labels },
        spec: { terminationGracePeriodSeconds: 1, restartPolicy: 'Never', ...(spec ?? { containers: [] }) },
      }),
    );
  const get = (name: string) => client.resource(Pod).get({ namespace, name });
  const logOf = async (name: string): Promise<string> => {
    const { body } = await client.pods.logs({ namespace, name });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    // Leave out messages of the stand-in programs.
    return Buffer.concat(chunks)
      .toString()
      .replace(/^\[kubewright\].*\n/gm, '');
  };
  /** Runs a shell script in a pod and returns its output. */
  const run = async (
    name: string,
    script: string,
    more: Partial<NonNullable<Pod['spec']>> = {},
    container: Partial<Container> = {},
  ): Promise<string> => {
    const command = ['sh', '-c', script];
    await create(name, { ...more, containers: [{ name: 'c', image: 'busybox', command, ...container }] });
    await expect.poll(async () => (await get(name)).status?.phase, wait).toMatch(/Succeeded|Failed/);
    return logOf(name);
  };

  it('mounts volumes at their own paths', async () => {
    await client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'conf', namespace }, data: { k: 'v\n' } }));
    const script =
      'cat /etc/conf/k /data/k; cat /var/run/secrets/kubernetes.io/serviceaccount/namespace; hostname; echo > /tmp/x; ls /run';
    const volumes = [{ name: 'conf', configMap: { name: 'conf' } }];
    const volumeMounts = [
      { name: 'conf', mountPath: '/etc/conf' },
      { name: 'conf', mountPath: '/data', readOnly: true },
    ];
    expect(await run('files', script, { volumes }, { volumeMounts })).toBe('v\nv\ndefaultfiles\nsecrets\n');
  });

  it('gives containers their own terminals', async () => {
    const out = await run('terminal', 'tty', {}, { tty: true });
    expect(out).toMatch(/^\/dev\/pts\/\d+\r\n/);
  });

  const server = (text: string): string =>
    `require('node:net').createServer((socket) => socket.on('error', () => {}).end(${text} + ' to ' + socket.remoteAddress)).listen(80, '0.0.0.0')`;
  const web = (name: string) =>
    create(
      name,
      {
        restartPolicy: 'Always',
        containers: [
          {
            name: 'c',
            image: 'node:22',
            command: ['node', '-e', server("require('os').hostname()")],
            ports: [{ containerPort: 80 }],
            readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 },
          },
        ],
      },
      { app: 'web' },
    );
  const isReady = async (name: string): Promise<boolean> =>
    (await get(name)).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

  it('gives each pod its own ports, and routes services to all of them', async () => {
    await Promise.all([web('web-a'), web('web-b')]);
    const { spec } = await client
      .resource(Service)
      .create(
        Service({ metadata: { name: 'web', namespace }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }),
      );
    await expect.poll(async () => (await isReady('web-a')) && isReady('web-b'), wait).toBe(true);
    const ask = `require('net').connect(80, process.env.HOST).pipe(process.stdout)`;
    const once = `node -e "${ask}" 2>&1`;
    const both = 'echo "$seen" | grep -q web-a && echo "$seen" | grep -q web-b';
    const asked = `seen=; until ${both}; do seen="$seen$(${once})\n"; done; printf "$seen"`;
    const answers = await run('visitor', `export HOST=${spec?.clusterIP}; ${asked}`, {}, { image: 'node:22' });
    // The proxy connects from the bridge.
    const served = answers.split('\n').filter((line) => line.includes(' to '));
    expect([...new Set(served)].sort()).toEqual(['web-a to 10.244.0.1', 'web-b to 10.244.0.1']);
  });

  it("reaches a pod's declared ports from this machine, at the annotated address", async () => {
    const { metadata } = await get('web-a');
    const host = metadata.annotations?.['kubewright.dev/host-address'] ?? '';
    expect(host).toMatch(/^127\./);
    const port = 80;
    if (isRoot) expect(await text(await hostSockets.connect({ host, port }))).toBe('web-a to 10.244.0.1');
    const { items } = await client.resource(Event).list({ namespace });
    const notes = items.filter(({ reason }) => reason === 'HostAddress').map(({ message }) => message);
    if (isRoot) expect(notes).toContain(`This machine reaches port 80 of the pod at ${host}`);
  });

  it('serves Ingresses on this machine', async () => {
    const script = "require('http').createServer((_, answer) => answer.end('served')).listen(8080, '0.0.0.0')";
    const labels = { app: 'served' };
    const container = { name: 'c', image: 'node:22', command: ['node', '-e', script] };
    await create('served', { restartPolicy: 'Always', containers: [container] }, labels);
    const ports = [{ port: 80, targetPort: 8080 }];
    const metadata = { name: 'served', namespace };
    await client.resource(Service).create(Service({ metadata, spec: { selector: labels, ports } }));
    const defaultBackend = { service: { name: 'served', port: { number: 80 } } };
    await client.resource(Ingress).create(Ingress({ metadata, spec: { defaultBackend } }));
    const ask = async (): Promise<string> => {
      const { status } = await client.resource(Ingress).get({ namespace, name: 'served' });
      const { ip, ports: [port] = [] } = status?.loadBalancer?.ingress?.[0] ?? {};
      return fetch(`http://${ip}:${port?.port}/`).then((answer) => answer.text(), String);
    };
    await expect.poll(ask, wait).toBe('served');
  });

  it('serves the API inside pods', async () => {
    const script = `
      const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
      const { readFileSync } = require('node:fs');
      const folder = '/var/run/secrets/kubernetes.io/serviceaccount/';
      const [ca, token] = ['ca.crt', 'token'].map((name) => readFileSync(folder + name, 'utf8'));
      const headers = { authorization: 'Bearer ' + token };
      require('node:https').get({ host, port, path: '/api/v1/namespaces/default/pods', ca, headers }, (response) => {
        response.setEncoding('utf8').on('data', (chunk) => process.stdout.write(chunk));
      });
    `;
    const answer = await run(
      'client',
      `node -e "$SCRIPT"`,
      {},
      { image: 'node:22', env: [{ name: 'SCRIPT', value: script }] },
    );
    expect(answer).toContain('User \\"system:serviceaccount:default:default\\" cannot list resource');
  });

  it('runs commands with the files and the network of the container', async () => {
    const volumes = [{ name: 'conf', configMap: { name: 'conf' } }];
    const volumeMounts = [{ name: 'conf', mountPath: '/etc/conf' }];
    const command = ['sh', '-c', 'touch /tmp/own; sleep 1000'];
    await create('long', {
      volumes,
      containers: [{ name: 'c', image: 'busybox', command, volumeMounts, workingDir: '/etc/conf' }],
    });
    await expect.poll(async () => (await get('long')).status?.phase, wait).toBe('Running');
    const script =
      'cat k; ls /tmp/own; hostname; id -u; ip -o -4 addr show eth0 | grep -o "inet [^/]*"; grep CapEff /proc/self/status';
    const received = await client.pods.exec({ namespace, name: 'long' }, { command: ['sh', '-c', script] });
    const { stdout } = await received.text();
    const { podIP = '' } = (await get('long')).status ?? {};
    const lines = stdout.trim().split('\n');
    expect([...lines.slice(0, 3), ...lines.slice(4)]).toEqual([
      'v',
      '/tmp/own',
      'long',
      `inet ${podIP}`,
      'CapEff:\t0000000000000000',
    ]);
    expect(lines[3]).not.toBe('0');
  });

  it('runs pods with host networking at the address of the node', async () => {
    const script = 'ip -o -4 addr show kw0';
    expect(await run('on-node', script, { hostNetwork: true })).toContain((await get('on-node')).status?.hostIP);
  });

  it('resolves services, pods of a stateful set and the API server by name', async () => {
    const labels = { app: 'peers' };
    await client.resource(Service).create(
      Service({
        metadata: { name: 'peers', namespace },
        spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] },
      }),
    );
    const peer = `
      const { hostname } = require('node:os');
      const { readFileSync } = require('node:fs');
      require('node:net').createServer((socket) => socket.on('error', () => {}).end('from ' + hostname())).listen(80, '0.0.0.0');
      const other = hostname() === 'peers-0' ? 'peers-1' : 'peers-0';
      const ask = () => require('node:net').connect(80, other + '.peers')
        .on('error', () => setTimeout(ask, 200)).on('data', (chunk) => console.log(String(chunk)));
      ask();
    `;
    const container = { name: 'c', image: 'node:22', command: ['node', '-e', peer] };
    await client.resource(StatefulSet).create(
      StatefulSet({
        metadata: { name: 'peers', namespace },
        spec: {
          serviceName: 'peers',
          replicas: 2,
          podManagementPolicy: 'Parallel',
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
        },
      }),
    );
    const log = (name: string) => () => logOf(name).catch(() => '');
    await expect.poll(log('peers-0'), wait).toBe('from peers-1\n');
    await expect.poll(log('peers-1'), wait).toBe('from peers-0\n');
    const names = ['kubernetes', 'web.default', 'kubernetes.default.svc.cluster.local'];
    const script = `for (const name of ${JSON.stringify(names)}) require('dns').lookup(name, (e, a) => console.log(name, e?.code ?? a));`;
    const { spec } = await client.resource(Service).get({ namespace, name: 'web' });
    const answer = await run(
      'resolver',
      `cat /etc/resolv.conf; node -e "$SCRIPT"`,
      {},
      {
        image: 'node:22',
        env: [{ name: 'SCRIPT', value: script }],
      },
    );
    expect(answer).toContain('search default.svc.cluster.local svc.cluster.local cluster.local');
    expect(answer).toContain('nameserver 10.96.0.10\noptions ndots:5\n');
    expect(answer).toContain('kubernetes 10.96.0.1\n');
    expect(answer).toContain('kubernetes.default.svc.cluster.local 10.96.0.1\n');
    expect(answer).toContain(`web.default ${spec?.clusterIP}\n`);
  });
});
