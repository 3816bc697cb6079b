// Records sequences of applies and other writes against kube-apiserver 1.36.
//   node packages/apiserver/src/apply/testdata/record.mjs https://127.0.0.1:PORT TOKEN
// against the oracle (a throw-away control plane without controllers: WITH=api); writes recorded.json beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../scripts/send-requests.mjs';

const [base, token = 'admintoken'] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const { crd, sequences } = JSON.parse(readFileSync(new URL('cases.json', here), 'utf8'));
const sendRequest = requestSender(base, token);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const TYPES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  update: 'application/json',
  create: 'application/json',
  delete: 'application/json',
};
const METHODS = { apply: 'PATCH', merge: 'PATCH', update: 'PUT', create: 'POST', delete: 'DELETE' };

async function call(method, path, { body, type = 'application/json', agentName = 'recorder/1' } = {}) {
  const headers = { 'content-type': type, 'user-agent': agentName };
  const { status: code, headers: answered, body: object } = await sendRequest(method, path, body, headers);
  return { code, date: answered.date, body: object };
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
await call('DELETE', `${CRDS}/${crd.metadata.name}`);
await sleep(500);
const made = await call('POST', CRDS, { body: crd });
if (made.code !== 201) throw new Error(JSON.stringify(made.body));
const collection = `/apis/${crd.spec.group}/v1/namespaces/default/${crd.spec.names.plural}`;
while ((await call('GET', collection)).code !== 200) await sleep(50);
await sleep(500);

const recorded = [];
for (const [i, { name, collection: at, steps, exact }] of sequences.entries()) {
  const objectName = `seq${i}`;
  const path = `${at}/${objectName}`;
  const clear = async () => {
    await call('PATCH', path, { body: { metadata: { finalizers: null } }, type: TYPES.merge });
    await call('DELETE', path, { body: { gracePeriodSeconds: 0 } });
  };
  await clear();
  const answers = [];
  for (const step of steps) {
    if (step.pause) await sleep(1100);
    const { op, manager, force, subresource = '', body: raw, agentName } = step;
    let body = JSON.parse(JSON.stringify(raw).replaceAll('$NAME', objectName));
    if (op === 'update') {
      const live = (await call('GET', path)).body;
      const { managedFields } = body.metadata ?? {};
      body = { ...live, ...body, metadata: { ...live.metadata, ...body.metadata } };
      if (managedFields !== undefined) body.metadata.managedFields = managedFields;
    } else if (op !== 'merge') {
      body = { ...body, metadata: { name: objectName, ...body.metadata } };
    }
    // Others may have written meanwhile.
    const before = answers.length > 0 ? (await call('GET', path)).body : undefined;
    const known = answers.findLast((one) => one.object !== undefined)?.object;
    const live = before?.metadata?.resourceVersion === known?.metadata?.resourceVersion ? undefined : before;
    const query = new URLSearchParams();
    if (manager !== undefined) query.set('fieldManager', manager);
    if (force) query.set('force', 'true');
    const target = `${op === 'create' ? at : path}${subresource === '' ? '' : `/${subresource}`}?${query}`;
    const answer = await call(METHODS[op], target, { body, type: TYPES[op], agentName });
    const { code, date } = answer;
    const sent = op === 'update' ? undefined : body;
    answers.push(
      code < 300
        ? { ...step, body: undefined, live, sent, code, date, object: answer.body }
        : { ...step, body: undefined, live, sent, code, date, message: answer.body.message, causes: answer.body.details?.causes },
    );
  }
  recorded.push({ name, exact, steps: answers });
  await clear();
}
await call('DELETE', `${CRDS}/${crd.metadata.name}`);
writeFileSync(
  new URL('recorded.json', here),
  `[\n${recorded.map((sequence) => JSON.stringify(sequence)).join(',\n')}\n]\n`,
);
sendRequest.close();
console.log(`${recorded.length} sequences, ${recorded.reduce((n, s) => n + s.steps.length, 0)} steps`);
