/**
 * Records kube-apiserver 1.36.3's decisions about the pods in `pods.mjs`:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN
 */
import { writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../../../scripts/send-requests.mjs';
import { securityPods } from './pods.mjs';

const [server, token] = process.argv.slice(2);
const sendRequest = requestSender(server, token);
const run = Date.now();
const lines = [];
for (const [index, { level, version, metadata, spec }] of securityPods.entries()) {
  const namespace = `pod-security-${run}-${index}`;
  const labels = {
    'pod-security.kubernetes.io/enforce': level,
    ...(version && { 'pod-security.kubernetes.io/enforce-version': version }),
  };
  await sendRequest('POST', '/api/v1/namespaces', { metadata: { name: namespace, labels } });
  await sendRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  const pod = { metadata: { name: 'p', ...metadata }, spec };
  const { status, body } = await sendRequest('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
  lines.push(JSON.stringify({ status, ...(status >= 300 && { message: body.message }) }));
}
sendRequest.close();
writeFileSync(new URL('decisions-1.36.3.jsonl', import.meta.url), `${lines.join('\n')}\n`);
