// Records how kube-apiserver 1.36 refuses bodies that do not fit a built-in kind.
//   node packages/schema/src/decode/testdata/record.mjs https://127.0.0.1:PORT TOKEN
// against the oracle (a throw-away control plane); writes recorded.json beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../scripts/send-requests.mjs';

const [base, token = 'admintoken'] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const { bodies } = JSON.parse(readFileSync(new URL('cases.json', here), 'utf8'));
const PATHS = {
  Deployment: '/apis/apps/v1/namespaces/default/deployments',
  ConfigMap: '/api/v1/namespaces/default/configmaps',
  Secret: '/api/v1/namespaces/default/secrets',
  Lease: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
};

const sendRequest = requestSender(base, token);

const answers = [];
for (const text of bodies) {
  const { kind } = JSON.parse(text);
  const path = `${PATHS[kind]}?dryRun=All&fieldValidation=Strict`;
  const { status: code, body } = await sendRequest('POST', path, text);
  answers.push({ kind, text, code, ...(code < 300 ? {} : { message: body.message }) });
}
writeFileSync(new URL('recorded.json', here), `[\n${answers.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`);
sendRequest.close();
console.log(`${answers.length} bodies`);
