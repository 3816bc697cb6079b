// Sends the requests of rule-cases.mjs to a real API server (1.36) and writes its responses to rule-answers.json.
//
//   node packages/schema/src/cel/testdata/record.mjs https://127.0.0.1:PORT TOKEN
//
// It creates and deletes CRDs of the group cel.example.com.
import { readFileSync, writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../scripts/send-requests.mjs';
import { badRules, commonObject, commonSchema, expressions, kinds } from './rule-cases.mjs';

const [, , server, token] = process.argv;
const GROUP = 'cel.example.com';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const sendRequest = requestSender(server, token);

async function call(method, path, body) {
  const { status: code, body: answered } = await sendRequest(method, path, body);
  return { code, body: typeof answered === 'string' ? {} : answered };
}

function crd(plural, spec, root = {}) {
  const schema = { type: 'object', properties: { spec }, ...root };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural, kind: 'Other' === plural ? plural : 'Thing', singular: plural, listKind: `${plural}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** Type names carry a time; the order of causes is that of Go's maps. */
function normalise(text) {
  return text.replaceAll(/selfType\d+/g, 'selfType');
}

function causesOf({ code, body }) {
  if (code < 400) return [];
  const causes = body.details?.causes ?? [{ reason: body.reason, message: body.message, field: '' }];
  return causes.map(({ reason, message, field }) => ({ reason, message: normalise(message), field: field ?? '' }));
}

async function served(plural) {
  for (let i = 0; i < 200; i++) {
    const { code } = await call('GET', `/apis/${GROUP}/v1/${plural}`);
    if (code === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${plural} is not served`);
}

async function withKind(plural, definition, work) {
  const path = `/apis/${GROUP}/v1/${plural}`;
  await call('DELETE', `${CRDS}/${plural}.${GROUP}`);
  let created;
  for (let i = 0; i < 100; i++) {
    created = await call('POST', CRDS, definition);
    if (created.code !== 409) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (created.code >= 400) throw new Error(`${plural}: ${created.body.message}`);
  await served(plural);
  try {
    return await work(path);
  } finally {
    await call('DELETE', `${CRDS}/${plural}.${GROUP}`);
  }
}

const object = (spec, name = 'thing') => ({ apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name }, spec });

async function recordBadRules() {
  const answers = [];
  for (const rule of badRules) {
    const spec = { ...commonSchema, 'x-kubernetes-validations': [rule] };
    answers.push(causesOf(await call('POST', `${CRDS}?dryRun=All`, crd('tries', spec))));
  }
  return answers;
}

async function recordExpressions() {
  const answers = [];
  // In portions: the estimated cost of all rules of a CRD is limited.
  for (let i = 0; i < expressions.length; i += 20) {
    const portion = expressions.slice(i, i + 20);
    const rules = portion.map((rule) => ({ rule }));
    const accepted = [];
    for (const rule of rules) {
      const tried = await call('POST', `${CRDS}?dryRun=All`, crd('tries', { ...commonSchema, 'x-kubernetes-validations': [rule] }));
      accepted.push(tried.code < 400 ? undefined : causesOf(tried)[0].message);
    }
    const usable = rules.filter((_, n) => accepted[n] === undefined);
    const definition = crd(`portion${i}s`, { ...commonSchema, 'x-kubernetes-validations': usable });
    const causes = await withKind(`portion${i}s`, definition, async (path) =>
      causesOf(await call('POST', `${path}?dryRun=All`, object(commonObject))),
    );
    portion.forEach((expression, n) => {
      const found = causes.find(({ message }) => message.endsWith(`rule: ${expression}`));
      answers.push(accepted[n] === undefined ? (found?.message ?? 'true') : `refused: ${accepted[n]}`);
    });
  }
  return answers;
}

async function recordKind({ name, schema, root, objects, updates }) {
  return withKind(name, crd(name, schema, root), async (path) => {
    const created = [];
    for (const spec of objects) created.push(causesOf(await call('POST', `${path}?dryRun=All`, object(spec))));
    created.push(causesOf(await call('POST', `${path}?dryRun=All`, object({}, 'forbidden'))));
    const updated = [];
    for (const { old, next } of updates) {
      // `opt` may only begin as `first`: old objects without it always pass.
      const stored = await call('POST', path, object(old));
      if (stored.code >= 400) throw new Error(stored.body.message);
      const replacement = object(next);
      replacement.metadata.resourceVersion = stored.body.metadata.resourceVersion;
      updated.push(causesOf(await call('PUT', `${path}/thing?dryRun=All`, replacement)));
      await call('DELETE', `${path}/thing`);
    }
    return { created, updated };
  });
}

const answers = {
  version: (await call('GET', '/version')).body.gitVersion,
  badRules: await recordBadRules(),
  expressions: await recordExpressions(),
  kinds: {},
};
for (const kind of kinds) answers.kinds[kind.name] = await recordKind(kind);
const file = new URL('./rule-answers.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(answers, null, 1)}\n`);
sendRequest.close();
process.stdout.write(`${readFileSync(file).length} bytes of answers from ${answers.version}\n`);
