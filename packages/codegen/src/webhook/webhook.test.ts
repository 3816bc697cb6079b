import { admissionWebhook, defaulter, defineKind, validator, webhookConfigurations } from '@kubewright/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { Fixture, readYaml } from '../testdata/fixture.ts';

const fixture = new Fixture();
// Reading the packages' types takes the longest of all; it is done once.
beforeAll(() => fixture.generate(''));
const KIND = `const Thing = defineKind<{ a?: string }>({ group: 'example.com', version: 'v1', kind: 'Thing' });\n`;

describe('webhook configurations', () => {
  it('are those that the runtime makes of the same declarations', async () => {
    const { files, problems } = await fixture.generate(`${KIND}
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
    const expected = webhookConfigurations([
      validator(Thing, { create: () => 'no', delete() {} }, { failurePolicy: 'Ignore', timeoutSeconds: 5 }),
      defaulter(Thing, (thing) => thing, { reinvocationPolicy: 'IfNeeded' }),
      admissionWebhook({
        type: 'validating',
        path: '/no-exec',
        handle: () => ({ allowed: true }),
        sideEffects: 'NoneOnDryRun',
        rules: [{ groups: [''], versions: ['v1'], resources: ['pods/exec'], operations: ['CONNECT'] }],
      }),
    ]);
    const text = files.find(({ path }) => path === 'config/webhook/manifests.yaml')?.text ?? '';
    const documents = text
      .split(/^---\n/m)
      .slice(1)
      .map(readYaml);
    const sorted = JSON.parse(JSON.stringify(expected)).map((each: { webhooks: { name: string }[] }) => ({
      ...each,
      webhooks: each.webhooks.sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
    expect(documents).toEqual(sorted);
  });

  it('are not made of two webhooks with one name', async () => {
    const { problems } = await fixture.generate(`${KIND}
      export const webhooks = [validator(Thing, { create() {} }), validator(Thing, { update() {} })];`);
    expect(problems).toMatchObject([{ code: 'KW6501', what: 'two webhooks are named vthing-v1.kb.io' }]);
  });
});
