// Sends the rules of cost-cases.mjs to a real API server (1.36) and writes their costs to cost-answers.json.
//
//   node packages/schema/src/cel/testdata/record-costs.mjs https://127.0.0.1:PORT TOKEN
//
// Everything is a dry run: nothing is created.
import { writeFileSync } from 'node:fs';
import { requestSender } from '../../../../../scripts/send-requests.mjs';
import { expressions, measuredSchema, roots, schemas } from './cost-cases.mjs';

const [, , server, token] = process.argv;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
const sendRequest = requestSender(server, token);

async function causes(schema) {
  const group = 'cost.example.com';
  const { status, body } = await sendRequest('POST', CRDS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `tries.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'tries', kind: 'Try', singular: 'try', listKind: 'TryList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } }],
    },
  });
  if (status < 400) return [];
  const found = body.details?.causes ?? [{ reason: body.reason, message: body.message, field: '' }];
  return found.map(({ reason, message, field }) => ({ reason, message: message.replaceAll(/selfType\d+/g, 'selfType'), field }));
}

/** The smallest map whose values' rule is too costly, and what is said then. */
async function measure(rule) {
  const answer = (most) =>
    causes({
      properties: {
        spec: {
          type: 'object',
          maxProperties: most,
          additionalProperties: { ...measuredSchema, 'x-kubernetes-validations': [{ rule }] },
        },
      },
    });
  let low = 0;
  let high = 10_000_001;
  let said = await answer(high);
  if (said.length === 0) return { message: 'accepted' };
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const found = await answer(middle);
    if (found.length === 0) low = middle;
    else [high, said] = [middle, found];
  }
  return { most: high, message: said[0].message };
}

const answers = { version: (await sendRequest('GET', '/version')).body.gitVersion, expressions: [], schemas: [], roots: [] };
for (const rule of expressions) answers.expressions.push(await measure(rule));
for (const [, spec] of schemas) answers.schemas.push(await causes({ properties: { spec } }));
for (const [, root] of roots) answers.roots.push(await causes(root));
writeFileSync(new URL('./cost-answers.json', import.meta.url), `${JSON.stringify(answers, null, 1)}\n`);
sendRequest.close();
process.stdout.write(`${answers.expressions.length} expressions, ${schemas.length} schemas from ${answers.version}\n`);
