import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@kubewright/apimachinery/admissionregistration/v1';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownerAnnotation } from '../../packages/cli/src/dev/cluster/dev-objects.ts';
import { build } from '../main-job/repository.ts';
import { CommandLine, type Started } from './command-line.ts';
import { expectServed, rejection, shopsOf, webhookProject } from './webhook-page.ts';

// Each test starts a compiler, a bundler and an operator.
vi.setConfig({ testTimeout: 180_000 });

const mutating = { name: 'shop-mutating-webhook-configuration' };
const validating = { name: 'shop-validating-webhook-configuration' };
const injection = 'cert-manager.io/inject-ca-from';
const crd = { name: 'shops.web.example.com' };

let kubewright: CommandLine;
let root: string;
let elsewhere: string;
let env: { readonly KUBECONFIG: string };
let client: KubernetesClient;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  root = await webhookProject(kubewright);
  await kubewright.run(['generate'], { cwd: root });
  elsewhere = join(kubewright.folder, 'elsewhere');
  mkdirSync(elsewhere);
  env = { KUBECONFIG: join(elsewhere, 'config') };
  await kubewright.run(['cluster', 'up', '--background', '--kubeconfig', env.KUBECONFIG], { cwd: elsewhere });
  client = clientFromConfig(await loadClientConfig({ kubeconfig: env.KUBECONFIG }));
}, 240_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await kubewright?.run(['cluster', 'down'], { cwd: elsewhere });
  kubewright?.[Symbol.dispose]();
});

let dev: Started | undefined;
afterEach(() => dev?.child.kill('SIGKILL'));

async function startDev(...args: readonly string[]): Promise<void> {
  dev = kubewright.start(['dev', '--context', 'kubewright', '--no-type-check', ...args], { cwd: root, env });
  const { stdout, stderr } = dev;
  await expect.poll(() => stdout() + stderr(), { timeout: 60_000 }).toMatch(/Save a file|KW\d/);
}

async function endDev(): Promise<void> {
  dev?.child.kill('SIGINT');
  expect({ code: await dev?.ended, stderr: dev?.stderr() }).toEqual({ code: 0, stderr: '' });
}

async function asking(): Promise<readonly (string | undefined)[]> {
  const lists = await Promise.all([
    client.resource(MutatingWebhookConfiguration).list(),
    client.resource(ValidatingWebhookConfiguration).list(),
  ]);
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
}

const definitions = async () =>
  (await client.resource(CustomResourceDefinition).list()).items.map(({ metadata }) => metadata.name);

describe('kubewright dev --context, with webhooks', () => {
  it('calls them in an existing cluster, until it stops', async () => {
    await startDev();
    expect(dev?.stderr()).toBe('');
    const shops = shopsOf(client);
    await expectServed(shops, 'context');
    expect(await asking()).toEqual([mutating.name, validating.name]);
    await endDev();
    expect(await asking()).toEqual([]);
    await expect.poll(definitions, { timeout: 30_000 }).toEqual([]);
  });

  it('diverts the webhooks of a deployed operator, and restores them when it stops', async () => {
    await kubewright.run(['install'], { cwd: root, env });
    const service = { name: 'shop-webhook-service', namespace: 'shop-system', path: '/validate', port: 443 };
    const deployed = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      // With this annotation, cert-manager would replace our CA bundle, so dev must remove it.
      metadata: { ...validating, annotations: { [injection]: 'shop-system/shop-serving-cert' } },
      webhooks: [
        {
          name: 'vshop-v1.kb.io',
          clientConfig: { service },
          rules: [
            { apiGroups: ['web.example.com'], apiVersions: ['v1'], resources: ['shops'], operations: ['CREATE'] },
          ],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Ignore',
        },
      ],
    } as const satisfies ValidatingWebhookConfiguration;
    const before = await client.resource(ValidatingWebhookConfiguration).create(deployed);
    // A URL that a killed process left behind.
    const url = 'https://127.0.0.1:9/mutate';
    const { name, rules, admissionReviewVersions, sideEffects } = deployed.webhooks[0];
    await client.resource(MutatingWebhookConfiguration).create({
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
      metadata: { ...mutating, annotations: { [ownerAnnotation]: `${hostname()}:${root}` } },
      webhooks: [{ name, rules, admissionReviewVersions, sideEffects, clientConfig: { url } }],
    });
    const conversion = async () => (await client.resource(CustomResourceDefinition).get(crd)).spec.conversion;
    const convertedBefore = await conversion();
    expect(convertedBefore?.webhook?.clientConfig?.service).toMatchObject({ name: service.name });

    await startDev();
    expect(dev?.stderr()).toBe('');
    await expectServed(shopsOf(client), 'diverted');
    const there = async () => client.resource(ValidatingWebhookConfiguration).get(validating);
    expect((await there()).metadata.annotations?.[injection]).toBeUndefined();
    expect((await conversion())?.webhook?.clientConfig?.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/convert$/);
    await endDev();
    expect(await asking()).toEqual([validating.name]);
    const { metadata, webhooks } = await there();
    expect([metadata.annotations, webhooks]).toEqual([before.metadata.annotations, before.webhooks]);
    expect(await conversion()).toEqual(convertedBefore);
    await client.resource(ValidatingWebhookConfiguration).delete(validating);
    expect(await kubewright.run(['uninstall'], { cwd: root, env })).toMatchObject({ code: 0, stderr: '' });
  });

  it('reports that they cannot be called, and leaves nothing behind', async () => {
    const args = ['dev', '--context', 'kubewright', '--webhook-host', 'nowhere.invalid'];
    const { code, stderr } = await kubewright.run(args, { cwd: root, env });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(
        /^KW7309 the API server cannot reach the local webhooks at https:\/\/nowhere\.invalid:\d+\n {2}why: .*nowhere\.invalid.*\n {2}fix: specify a local address that the API server can reach: --webhook-host ADDR\n {4}with kind, /,
      ),
    });
    expect(await asking()).toEqual([]);
    await expect.poll(definitions, { timeout: 30_000 }).toEqual([]);
  });

  it('leaves them out on request', async () => {
    await startDev('--no-webhooks');
    expect(dev?.stdout()).toContain('! webhooks skipped     because of --no-webhooks\n');
    expect(await rejection(shopsOf(client).create('large', { owner: 'ann', size: 10 }))).toBe('');
    expect(await asking()).toEqual([]);
    dev?.child.kill('SIGINT');
    expect(await dev?.ended).toBe(0);
    await expect.poll(definitions, { timeout: 30_000 }).toEqual([]);
  });

  it('accepts their flags only with a context', async () => {
    const { code, stderr } = await kubewright.run(['dev', '--webhook-host', '127.0.0.1'], { cwd: root, env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `KW7001 invalid command line
  why: --webhook-host and --no-webhooks require --context
  fix: add --context NAME, or remove these flags
`,
    });
  });
});
