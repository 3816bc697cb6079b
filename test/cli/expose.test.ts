import { mkdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Service, type ServicePort } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLine } from './command-line.ts';

const namespace = 'default';
const patience = { timeout: 30_000 };
/** A server that responds with the name of its pod. */
const program = `require('node:http')
  .createServer((_request, response) => response.end(process.env.HOSTNAME))
  .listen(8080, process.env.POD_IP)`;

let kubewright: CommandLine;
let client: KubernetesClient;
let cwd: string;
beforeAll(async () => {
  kubewright = await CommandLine.build();
  cwd = join(kubewright.folder, 'exposed');
  mkdirSync(cwd);
  const up = await kubewright.run(['cluster', 'up', '--background', '--json'], { cwd });
  client = clientFromConfig(await loadClientConfig({ kubeconfig: JSON.parse(up.stdout).cluster.kubeconfig }));
  const labels = { app: 'web' };
  const containers = [{ name: 'web', image: 'node', command: ['node', '-e', program] }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  await client.resource(Deployment).create(Deployment({ metadata: { name: 'web', namespace }, spec }));
  await createService('web', [{ port: 80, targetPort: 8080 }]);
  await createService('two', [
    { name: 'http', port: 80 },
    { name: 'metrics', port: 9090 },
  ]);
  await client.resource(Deployment).waitFor({ namespace, name: 'web' }, ({ status }) => status?.readyReplicas === 2, {
    signal: AbortSignal.timeout(30_000),
  });
}, 60_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await kubewright?.run(['cluster', 'delete'], { cwd });
  kubewright?.[Symbol.dispose]();
}, 30_000);

async function createService(name: string, ports: readonly ServicePort[]): Promise<void> {
  const service = Service({ metadata: { name, namespace }, spec: { selector: { app: 'web' }, ports: [...ports] } });
  await client.resource(Service).create(service);
}

/** Sends a request on its own connection; returns the body. */
function get(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(text);
    });
    sent.on('error', reject).end();
  });
}

describe('kubewright cluster expose', () => {
  it('forwards connections to the ready pods until it is stopped', async () => {
    const expose = kubewright.start(['cluster', 'expose', 'svc/web'], { cwd });
    await expect.poll(expose.stdout, patience).toContain('Press Ctrl-C to stop.\n');
    const port = Number(/✓ exposed +Service default\/web, port 80, at 127\.0\.0\.1:(\d+)\n/.exec(expose.stdout())?.[1]);
    const pods = new Set<string>();
    // Each connection goes to a random one of the two pods.
    await expect.poll(async () => pods.add(await get(port)).size, patience).toBe(2);
    expect([...pods].every((name) => name.startsWith('web-'))).toBe(true);

    await client
      .resource(Deployment)
      .patch({ namespace, name: 'web' }, { type: 'merge', body: { spec: { replicas: 0 } } });
    // Ignores failed connections: a pod may refuse connections before the Service stops routing to it.
    const afterRequest = async () => {
      await get(port).catch(() => 'closed');
      return expose.stdout();
    };
    await expect
      .poll(afterRequest, patience)
      .toContain('! connection failed    Service default/web has no ready pods\n');
    expose.child.kill('SIGINT');
    expect([await expose.ended, expose.stderr()]).toEqual([0, '']);
  }, 60_000);

  it('reports why a Service cannot be exposed', async () => {
    const run = (...args: readonly string[]) => kubewright.run(['cluster', 'expose', ...args], { cwd });
    expect(await run('svc/shop', '-n', 'other')).toEqual({
      code: 1,
      stdout: '',
      stderr: `KW7206 cannot expose Service other/shop
  why: the Service does not exist
  fix: list Services: kubectl get services -n other
`,
    });
    const unclear = await run('two');
    expect(unclear.stderr).toContain(
      'why: the Service has several TCP ports\n  fix: select a port with --service-port: 80 (http), 9090 (metrics)\n',
    );
    const unknown = await run('two', '--service-port', 'https');
    expect(unknown.stderr).toContain('why: the Service has no TCP port https\n');
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const taken = await run('web', '--port', String(port));
    other.close();
    expect(taken.stderr).toContain(`why: port ${port} of this machine is in use\n`);
    expect(await run('deployment/web')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It must be the name of a Service, such as svc/web.'),
    });
  }, 60_000);
});
