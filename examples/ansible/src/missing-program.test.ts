import { reconcileOnce } from '@kubewright/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { playbookController } from './playbook-operator.ts';
import { readWatches } from './watches.ts';

const file = (name: string) => new URL(`../${name}`, import.meta.url).pathname;

afterEach(() => vi.unstubAllEnvs());

it('says on the object that ansible-playbook is missing', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const [greeting] = readWatches(file('watches.yaml'));
  const metadata = { name: 'hello', namespace: 'default' };
  const object = { apiVersion: 'playbooks.example.com/v1', kind: 'Greeting', metadata, spec: { message: 'hi' } };
  const options = { objects: [object] as const, manifests: [file('crd.yaml')] };
  const { status } = await reconcileOnce(playbookController(greeting!), options);
  const message = expect.stringMatching(/^ansible-playbook is not on the PATH; install ansible-core/);
  expect(status).toMatchObject({
    conditions: expect.arrayContaining([expect.objectContaining({ type: 'Failure', status: 'True', message })]),
  });
});
