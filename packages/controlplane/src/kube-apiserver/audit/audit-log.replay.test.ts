import { readFileSync } from 'node:fs';
import { parseYaml } from '@kubewright/schema';
import { expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';
import { steps as admissionSteps } from './testdata/admission.mjs';
import { steps as auditedSteps } from './testdata/audited.mjs';

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

/** Removes values that differ from run to run. */
function normalized(event: unknown): unknown {
  const text = JSON.stringify(event, (key, value: unknown) => (varying.has(key) ? undefined : value));
  return JSON.parse(
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
      .replace(/"resourceVersion":"\d{2,}"/g, '"resourceVersion":"RV"')
      // Upstream evaluates bindings in the random order of Go's maps.
      .replace('limit":"1, 9"', 'limit":"9, 1"'),
  );
}

/** No webhook is reachable. */
const webhookCaller = { call: () => Promise.reject(new Error('connection refused')) };

it.each([
  ['requests', auditedSteps, 'audited-1.36.3.jsonl'],
  ['admission by policies and webhooks', admissionSteps, 'admission-1.36.3.jsonl'],
])('writes the audit events of kube-apiserver: %s', async (_, steps, answers) => {
  const events: Readonly<Record<string, unknown>>[] = [];
  const policy = parseYaml(read('policy.yaml')).value;
  const auditLog = { policy, write: (event: Readonly<Record<string, unknown>>) => events.push(event) };
  await using plane = await PlaneUnderTest.start({ auditLog, webhookCaller });
  await plane.play(steps);
  const recorded = read(answers).toString().trim().split('\n');
  const byUser = events.filter(({ userAgent }) => userAgent === 'test/1.0');
  expect(byUser.map(normalized)).toEqual(recorded.map((line) => normalized(JSON.parse(line))));
});
