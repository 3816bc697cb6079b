import { readFileSync } from 'node:fs';
import { ValidatingAdmissionPolicy } from '@kubewright/apimachinery/admissionregistration/v1';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { TestControlPlane } from '../testdata/test-control-plane.ts';
import { checkPolicy } from './check-policy.ts';
import { servedKinds } from './served-kinds.ts';
// Recorded for the same policies by testdata/record.mjs.
import { definition, policies } from './testdata/policies.mjs';

const recorded: Readonly<Record<string, ValidatingAdmissionPolicy['status']>> = JSON.parse(
  readFileSync(new URL('testdata/statuses-1.36.3.json', import.meta.url), 'utf8'),
);

describe('checkPolicy', () => {
  const served = servedKinds([definition]);

  it.each(policies.map((policy) => [policy.metadata?.name ?? '', policy] as const))(
    'reports the same type errors as upstream: %s',
    (name, policy) => {
      expect(checkPolicy(policy, served)).toEqual(recorded[name]?.typeChecking?.expressionWarnings ?? []);
    },
  );
});

it('writes the type errors of a policy to its status, once per generation', async () => {
  await using plane = await TestControlPlane.start();
  await plane.client.resource(CustomResourceDefinition).create(definition);
  const stored = plane.client.resource(ValidatingAdmissionPolicy);
  const status = async (name: string) => (await stored.get({ name })).status;
  const tried = policies.filter(({ metadata }) => metadata?.name === 'fine' || metadata?.name === 'wrong-type');
  for (const policy of tried) await stored.create(policy);
  for (const { metadata } of tried) {
    const { name = '' } = metadata ?? {};
    await expect.poll(() => status(name)).toEqual(recorded[name]);
  }
  expect(plane.rejections).toEqual([]);
});
