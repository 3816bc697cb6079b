import { seededRandom, systemClock, type UnstructuredObject } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import { inMemoryServer } from '@kubewright/controlplane/internal';
import { describe, expect, it } from 'vitest';
import { withOwnAddresses } from './own-addresses.ts';

const args = ['--leader-elect', '--health-probe-bind-address=:8081', '--metrics-bind-address=0'];
const deployment: UnstructuredObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'manager' },
  spec: { template: { spec: { containers: [{ args, ports: [{ name: 'webhook-server' }] }] } } },
};

/** Returns the containers of the deployment on a cluster whose node has the given annotations. */
async function containersOn(annotations: Readonly<Record<string, string>>): Promise<unknown> {
  const client = await inMemoryServer({ clock: systemClock, random: seededRandom(1) });
  await client.resource(Node).create(Node({ metadata: { name: 'n', annotations } }));
  const { signal } = new AbortController();
  const [changed = deployment] = await withOwnAddresses(client, { objects: [deployment], signal });
  const { template } = changed['spec'] as { readonly template: { readonly spec: { readonly containers: unknown } } };
  return template.spec.containers;
}

describe('withOwnAddresses', () => {
  it.each(['process', 'container'])('binds the operator to its pod if the driver is %s', async (driver) => {
    expect(await containersOn({ 'kubewright.dev/driver': driver })).toMatchObject([
      {
        args: [
          '--leader-elect',
          '--health-probe-bind-address=$(POD_IP):8081',
          '--metrics-bind-address=0',
          '--webhook-host=$(POD_IP)',
        ],
        env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      },
    ]);
  });

  it.each([{ 'kubewright.dev/driver': 'simulated' }, {}])('changes nothing on nodes with %j', async (annotations) => {
    expect(await containersOn(annotations as Record<string, string>)).toEqual([
      { args, ports: [{ name: 'webhook-server' }] },
    ]);
  });
});
