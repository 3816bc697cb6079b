import { readFileSync } from 'node:fs';
import { parseYaml } from '@kubewright/schema';
import { expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';
import { steps } from './testdata/audited.mjs';

const read = (name: string): Buffer => readFileSync(new URL(`testdata/${name}`, import.meta.url));
const varying = new Set([
  'auditID',
  'requestReceivedTimestamp',
  'stageTimestamp',
  'creationTimestamp',
  'time',
  'continue',
  'authentication.kubernetes.io/issued-credential-id',
]);

/** Leaves out what differs from run to run. */
function normalized(event: unknown): unknown {
  const text = JSON.stringify(event, (key, value: unknown) => (varying.has(key) ? undefined : value));
  return JSON.parse(
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
      .replace(/"resourceVersion":"\d{2,}"/g, '"resourceVersion":"RV"'),
  );
}

it('writes the audit events of kube-apiserver', async () => {
  const events: Readonly<Record<string, unknown>>[] = [];
  const policy = parseYaml(read('policy.yaml')).value;
  await using plane = await PlaneUnderTest.start({ auditLog: { policy, write: (event) => events.push(event) } });
  await plane.play(steps);
  const recorded = read('audited-1.36.3.jsonl').toString().trim().split('\n');
  const byUser = events.filter(({ userAgent }) => userAgent === 'test/1.0');
  expect(byUser.map(normalized)).toEqual(recorded.map((line) => normalized(JSON.parse(line))));
});
