// Records how kube-apiserver 1.36 applies strategic merge patches.
//   node packages/apiserver/src/strategic-merge/testdata/record.mjs https://127.0.0.1:PORT TOKEN
// against the oracle (a throw-away control plane without controllers: WITH=api); writes recorded.json beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../scripts/send-requests.mjs';

const [base, token = 'admintoken'] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const { objects, cases } = JSON.parse(readFileSync(new URL('cases.json', here), 'utf8'));
const sendRequest = requestSender(base, token);

async function call(method, path, { body, type = 'application/json' } = {}) {
  const { status: code, body: answered } = await sendRequest(method, path, body, { 'content-type': type });
  return { code, body: answered };
}

const clean = (object) => {
  const { managedFields, uid, resourceVersion, creationTimestamp, generation, ...metadata } = object.metadata;
  return { ...object, metadata };
};
const live = {};
for (const [name, { collection, object }] of Object.entries(objects)) {
  await call('DELETE', `${collection}/${object.metadata.name}`, { body: { gracePeriodSeconds: 0 } });
  const made = await call('POST', collection, { body: object });
  if (made.code !== 201) throw new Error(JSON.stringify(made.body));
  live[name] = clean(made.body);
}
const answers = [];
for (const { on, patch } of cases) {
  const { collection, object } = objects[on];
  const answer = await call('PATCH', `${collection}/${object.metadata.name}?dryRun=All`, {
    body: patch,
    type: 'application/strategic-merge-patch+json',
  });
  const { code, body } = answer;
  answers.push({ on, patch, code, ...(code < 300 ? { object: clean(body) } : { message: body.message }) });
}
for (const { collection, object } of Object.values(objects)) {
  await call('DELETE', `${collection}/${object.metadata.name}`, { body: { gracePeriodSeconds: 0 } });
}
writeFileSync(new URL('recorded.json', here), `${JSON.stringify({ live, answers })}\n`);
sendRequest.close();
console.log(`${answers.length} patches`);
