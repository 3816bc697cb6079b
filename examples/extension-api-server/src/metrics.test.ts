import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { FakeInfrastructure, TestEnvironment, TestOperator, toMatch } from '@kubewright/testing';
import { describe, expect, it } from 'vitest';
import { register } from '../dev/register.ts';
import { metricsServer, PodMetrics } from './metrics.ts';

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };
// With KUBEWRIGHT_REQUIRE_ALL=1, the test fails if the program is missing.
const maySkip = process.env['KUBEWRIGHT_REQUIRE_ALL'] !== '1';
const isMissing = maySkip && spawnSync('kubectl', ['version', '--client']).status !== 0;

describe('the metrics API server', () => {
  it.skipIf(isMissing)('shows the usage of running pods in kubectl top', { timeout: 60_000 }, async () => {
    // Leaves out the cluster's own metrics server.
    const components = [...FakeInfrastructure.components, '-metrics'];
    await using environment = await TestEnvironment.start({ components });
    await using infrastructure = await FakeInfrastructure.start(environment);
    const { client, kubeconfig = '' } = environment;
    const server = metricsServer(() => ({ cpu: '250m', memory: '64Mi' }), {
      cluster: client,
      hostnames: ['metrics.default.svc'],
    });
    await using operator = await TestOperator.start(client, { runnables: [server] });
    await register(client, server, { group: PodMetrics.group, version: PodMetrics.version, service: 'metrics' });
    const create = (name: string) => {
      const containers = [
        { name: 'main', image: 'shop:1' },
        { name: 'proxy', image: 'proxy:1' },
      ];
      const metadata = { name, namespace: 'default', labels: { app: name } };
      return client.resource(Pod).create(Pod({ metadata, spec: { containers } }));
    };
    await create('pending');
    await infrastructure.makeReady(await create('web'));

    const list = () => client.resource(PodMetrics).list({ namespace: 'default', labelSelector: 'app' });
    const usage = { cpu: '250m', memory: '64Mi' };
    const containers = [
      { name: 'main', usage },
      { name: 'proxy', usage },
    ];
    await operator.eventually(list, toMatch({ items: [{ metadata: { name: 'web' }, containers }] }), waitOptions);
    await expect(client.resource(PodMetrics).get({ namespace: 'default', name: 'pending' })).rejects.toThrow(
      'not found',
    );
    const kubectl = spawn('kubectl', ['--kubeconfig', kubeconfig, 'top', 'pods', '--containers', '--no-headers']);
    const [output] = await Promise.all([text(kubectl.stdout), once(kubectl, 'close')]);
    expect(output).toMatch(/^web +main +250m +64Mi +\nweb +proxy +250m +64Mi +\n$/);
  });
});
