import { admissionWebhook, defaulter, defineKind, validator, webhookConfigurations } from '@kubewright/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { crdsOf, Fixture, readYaml } from '../testdata/fixture.ts';

const fixture = new Fixture();
// Read the types of the packages once, because reading them takes longer than running all tests.
beforeAll(() => fixture.generate(''));
const kindSource = `const Thing = defineKind<{ a?: string }>({ group: 'example.com', version: 'v1', kind: 'Thing' });\n`;

describe('webhook configurations', () => {
  it('match the configurations that the runtime builds from the same declarations', async () => {
    const { files, problems } = await fixture.generate(`${kindSource}
      const options = { failurePolicy: 'Ignore', timeoutSeconds: 5 } as const;
      export const webhooks = [
        validator(Thing, { create: () => 'no', delete() {} }, options),
        defaulter(Thing, (thing) => thing, { reinvocationPolicy: 'IfNeeded' }),
        admissionWebhook({
          type: 'validating', path: '/no-exec', handle: () => runtime.allowed(), sideEffects: 'NoneOnDryRun',
          rules: [{ groups: [''], versions: ['v1'], resources: ['pods/exec'], operations: ['CONNECT'] }],
        }),
      ];`);
    expect(problems).toEqual([]);
    const Thing = defineKind<object>({ group: 'example.com', version: 'v1', kind: 'Thing' });
    const service = { namespace: 'fixture-system', name: 'webhook-service' };
    const declared = [
      validator(Thing, { create: () => 'no', delete() {} }, { failurePolicy: 'Ignore', timeoutSeconds: 5 }),
      defaulter(Thing, (thing) => thing, { reinvocationPolicy: 'IfNeeded' }),
      admissionWebhook({
        type: 'validating',
        path: '/no-exec',
        handle: () => ({ allowed: true }),
        sideEffects: 'NoneOnDryRun',
        rules: [{ groups: [''], versions: ['v1'], resources: ['pods/exec'], operations: ['CONNECT'] }],
      }),
    ];
    const expected = webhookConfigurations(declared, { service });
    const text = files.find(({ path }) => path === 'config/webhook/manifests.yaml')?.text ?? '';
    const documents = text
      .split(/^---\n/m)
      .slice(1)
      .map(readYaml);
    // kustomize sets the namespace.
    const written = JSON.stringify(expected).replaceAll('"namespace":"fixture-system"', '"namespace":"system"');
    const sorted = JSON.parse(written).map((each: { webhooks: { name: string }[] }) => ({
      ...each,
      webhooks: each.webhooks.sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
    expect(documents).toEqual(sorted);
  });

  it('reject two webhooks with the same name', async () => {
    const { problems } = await fixture.generate(`${kindSource}
      export const webhooks = [validator(Thing, { create() {} }), validator(Thing, { update() {} })];`);
    expect(problems).toMatchObject([{ code: 'KW6501', what: 'two webhooks are named vthing-v1.kb.io' }]);
  });
});

describe('a converter', () => {
  const kind = (version: string, spec: string, more = '') =>
    `export const Shop${version} = defineKind<${spec}>({ group: 'example.com', version: '${version}', kind: 'Shop', ${more} });\n`;
  const versions = kind('v1', '{ size: string }') + kind('v1beta1', '{ what: string }', 'storage: false');
  const steps = 'toHub: () => ({ spec: { size: "" } }), fromHub: () => ({ spec: { what: "" } })';

  it('is configured in the CRD with the Service of the deployed operator', async () => {
    const result = await fixture.generate(`${versions}
      export const conversion = runtime.converter(Shopv1, [runtime.spoke(Shopv1beta1, { ${steps} })]);`);
    expect(result.problems).toEqual([]);
    expect(crdsOf(result)[0]?.spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: {
          service: { namespace: 'fixture-system', name: 'fixture-webhook-service', path: '/convert' },
        },
        conversionReviewVersions: ['v1'],
      },
    });
  });

  it('supports all versions of its kind', async () => {
    const { problems, files } = await fixture.generate(`${versions}
      export const conversion = runtime.converter(Shopv1, []);`);
    expect(files).toEqual([]);
    expect(problems).toMatchObject([
      { code: 'KW6502', severity: 'error', what: 'the converter of Shop does not handle version v1beta1' },
    ]);
  });

  it('is reported as missing only if versions differ', async () => {
    const { problems } = await fixture.generate(versions);
    expect(problems).toMatchObject([
      {
        code: 'KW6502',
        severity: 'warning',
        what: 'v1 and v1beta1 of Shop have different schemas but no converter',
      },
    ]);
    const alike = kind('v1', '{ size: string }') + kind('v1beta1', '{ size: string }', 'storage: false');
    expect((await fixture.generate(alike)).problems).toEqual([]);
  });
});
