// Records what kube-apiserver 1.36 says to custom resources and to CRDs.
//   node packages/schema/src/structural/testdata/record.mjs https://127.0.0.1:PORT TOKEN
// against the oracle (a throw-away control plane); writes recorded.json beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../scripts/send-requests.mjs';

const [base, token = 'admintoken'] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const { kinds, badSchemas } = JSON.parse(readFileSync(new URL('cases.json', here), 'utf8'));
const sendRequest = requestSender(base, token);

async function call(method, path, body) {
  const { status: code, headers, body: answered } = await sendRequest(method, path, body);
  return { code, warning: headers.warning, body: answered };
}

const crd = (name, schema) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}s.rec.example.com` },
  spec: {
    group: 'rec.example.com',
    scope: 'Namespaced',
    names: { plural: `${name}s`, singular: name, kind: name[0].toUpperCase() + name.slice(1) },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const root = (spec) => ({ type: 'object', properties: { spec } });
const causes = (body) => (body.details?.causes ?? []).map(({ reason, message, field }) => ({ reason, message, field }));

async function install(name, schema) {
  const made = await call('POST', CRDS, crd(name, schema));
  if (made.code !== 201) throw new Error(`${name}: ${JSON.stringify(made.body.message)}`);
  for (;;) {
    const probe = await call('GET', `/apis/rec.example.com/v1/namespaces/default/${name}s`);
    if (probe.code === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function tighten(name, schema) {
  const { body } = await call('GET', `${CRDS}/${name}s.rec.example.com`);
  body.spec = crd(name, schema).spec;
  const put = await call('PUT', `${CRDS}/${name}s.rec.example.com`, body);
  if (put.code !== 200) throw new Error(`${name}: ${JSON.stringify(put.body.message)}`);
}

const outcome = (answer) =>
  answer.code < 300
    ? { code: answer.code, spec: answer.body.spec, warning: answer.warning }
    : { code: answer.code, causes: causes(answer.body), warning: answer.warning };

async function recordKind({ name, schema, loose, objects, updates }) {
  await call('DELETE', `${CRDS}/${name}s.rec.example.com`);
  const collection = `/apis/rec.example.com/v1/namespaces/default/${name}s`;
  const kind = name[0].toUpperCase() + name.slice(1);
  const object = (id, spec) => ({ apiVersion: 'rec.example.com/v1', kind, metadata: { name: id }, spec });
  const answers = [];
  if (loose === undefined) {
    await install(name, root(schema));
    for (const [i, spec] of (objects ?? []).entries()) {
      answers.push({ sent: spec, ...outcome(await call('POST', `${collection}?fieldValidation=Warn`, object(`o${i}`, spec))) });
    }
    return { name, schema, answers };
  }
  await install(name, root(loose));
  for (const [i, { old }] of updates.entries()) {
    const made = await call('POST', collection, object(`o${i}`, old));
    if (made.code !== 201) throw new Error(JSON.stringify(made.body));
  }
  await tighten(name, root(schema));
  // The new schema takes a moment to be served: wait until it refuses what it must.
  for (;;) {
    const probe = await call('POST', `${collection}?dryRun=All`, object('probe', updates[0].old));
    if (probe.code === 422) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const [i, { old, next }] of updates.entries()) {
    const live = (await call('GET', `${collection}/o${i}`)).body;
    const answer = await call('PUT', `${collection}/o${i}`, { ...live, spec: next });
    answers.push({ old, sent: next, ...outcome(answer) });
  }
  return { name, schema, answers };
}

const recorded = { kinds: [], badSchemas: [] };
for (const kind of kinds) recorded.kinds.push(await recordKind(kind));
for (const [i, schema] of badSchemas.entries()) {
  const answer = await call('POST', `${CRDS}?dryRun=All`, crd(`bad${i}`, schema));
  recorded.badSchemas.push({ schema, code: answer.code, causes: causes(answer.body) });
}
for (const { name } of kinds) await call('DELETE', `${CRDS}/${name}s.rec.example.com`);
writeFileSync(new URL('recorded.json', here), `${JSON.stringify(recorded, null, 1)}\n`);
sendRequest.close();
console.log(`${recorded.kinds.reduce((n, k) => n + k.answers.length, 0)} objects, ${recorded.badSchemas.length} schemas`);
