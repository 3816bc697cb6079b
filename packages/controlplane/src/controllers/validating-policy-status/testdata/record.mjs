/**
 * Records the `status.typeChecking` that kube-controller-manager 1.36.3 writes to the policies in `policies.mjs`:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN
 */
import { writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../../scripts/send-requests.mjs';
import { definition, policies } from './policies.mjs';

const [server, token] = process.argv.slice(2);
const sendRequest = requestSender(server, token);
const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

await sendRequest('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
await pause(5_000); // Until the OpenAPI document contains the CRD.
const answers = {};
for (const policy of policies) {
  const { status, body } = await sendRequest('POST', path, policy);
  if (status !== 201) throw new Error(`${policy.metadata.name}: ${body.message}`);
}
for (const { metadata } of policies) {
  for (;;) {
    const { body } = await sendRequest('GET', `${path}/${metadata.name}`);
    answers[metadata.name] = body.status;
    if (body.status?.observedGeneration !== undefined) break;
    await pause(100);
  }
}
sendRequest.close();
writeFileSync(new URL('statuses-1.36.3.json', import.meta.url), `${JSON.stringify(answers, null, 1)}\n`);
