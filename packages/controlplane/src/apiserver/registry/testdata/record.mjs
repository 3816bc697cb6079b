/**
 * Records the answers of the real API server to the requests beside this file:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN > answers-1.36.3.json
 *
 * The server needs no controllers. Uids, times and resourceVersions stay as they are: the replay normalises both sides.
 */
import { request as httpsRequest } from 'node:https';
import { requests, widgetDefinition } from './requests.mjs';

const [base, token] = process.argv.slice(2);
const namespace = `rec-${process.pid}`;

function send(method, path, body, headers = {}) {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = httpsRequest(base + path, {
      method,
      rejectUnauthorized: false,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'test/1.0',
        // A DELETE's body would go without framing.
        ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...headers,
      },
    });
    call.on('error', reject);
    call.on('response', async (response) => {
      let answer = '';
      for await (const chunk of response) answer += chunk;
      const { warning } = response.headers;
      resolve({ status: response.statusCode, type: response.headers['content-type'], warning, text: answer });
    });
    call.end(text);
  });
}

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
  const { status, type, warning, text } = await send(method, withNamespace(path), withNamespace(body), headers);
  const isJson = type?.startsWith('application/json') && text.trim() !== '';
  const neutral = text.replaceAll(namespace, 'NS');
  answers.push({ status, type, ...(warning && { warning }), ...(isJson ? { json: JSON.parse(neutral) } : { text: neutral }) });
}
await send('DELETE', `/api/v1/namespaces/${namespace}`);
process.stdout.write(`[\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]\n`);
