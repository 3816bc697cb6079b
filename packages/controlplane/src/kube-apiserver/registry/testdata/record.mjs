/**
 * Records the real API server's responses to the requests in `requests.mjs`:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN > answers-1.36.3.json
 *
 * The server needs no controllers. Uids, times and resourceVersions are recorded unchanged, and the replay normalises both sides.
 */
import { requestSender } from '../../../../../../scripts/send-requests.mjs';
import { requests, widgetDefinition } from './requests.mjs';

const [base, token] = process.argv.slice(2);
const namespace = `rec-${process.pid}`;
const send = requestSender(base, token, { userAgent: 'test/1.0' });

const withNamespace = (value) => JSON.parse(JSON.stringify(value ?? null).replaceAll('NS', namespace)) ?? undefined;

await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition);
await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
for (let tries = 0; tries < 50; tries++) {
  const { status } = await send('GET', '/apis/example.com/v1/widgets');
  if (status === 200) break;
  await new Promise((resolve) => setTimeout(resolve, 200));
}
const answers = [];
for (const [method, path, body, headers] of requests) {
  const { status, headers: answered, text } = await send(method, withNamespace(path), withNamespace(body), headers);
  const { 'content-type': type, warning } = answered;
  const isJson = type?.startsWith('application/json') && text.trim() !== '';
  const neutral = text.replaceAll(namespace, 'NS');
  answers.push({ status, type, ...(warning && { warning }), ...(isJson ? { json: JSON.parse(neutral) } : { text: neutral }) });
}
await send('DELETE', `/api/v1/namespaces/${namespace}`);
send.close();
process.stdout.write(`[\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]\n`);
