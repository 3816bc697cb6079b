/**
 * Records the answers of the real API server to the scripts beside this file:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN definitions|objects > definitions-1.36.3.jsonl
 *
 * Its controllers must run: they clean up behind deleted definitions. Uids, times and resourceVersions stay as they are:
 * the replay normalises both sides.
 */
import { request as httpsRequest } from 'node:https';
import { pathToFileURL } from 'node:url';
import { resolve as resolvePath } from 'node:path';
import { runSteps } from './run-steps.mjs';

const [base, token, script] = process.argv.slice(2);
const file = script.endsWith('.mjs') ? pathToFileURL(resolvePath(script)) : new URL(`./${script}.mjs`, import.meta.url);
const { steps } = await import(file);

function send(method, path, body, headers = {}) {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = httpsRequest(base + path, {
      method,
      rejectUnauthorized: false,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'test/1.0',
        ...(text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }),
        ...headers,
      },
    });
    call.on('error', reject);
    call.on('response', async (response) => {
      let answer = '';
      for await (const chunk of response) answer += chunk;
      if (response.statusCode === 429 && !path.endsWith('/eviction')) {
        // Its cache is being filled.
        await pause(1000);
        resolve(send(method, path, body, headers));
        return;
      }
      const { warning } = response.headers;
      const type = response.headers['content-type'];
      resolve({ status: response.statusCode, type, ...(warning && { warning }), text: answer });
    });
    call.end(text);
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Names are accepted, kinds established and handlers swapped by controllers, a moment after the write. */
async function settle({ method, path, answer }) {
  if (method === 'GET' || answer.status >= 300 || path.includes('dryRun')) return;
  if (!path.includes('/customresourcedefinitions')) return;
  await pause(1500);
  const { text } = await send('GET', path.replace(/\?.*/, '').replace(/\/status$/, ''));
  const { spec } = JSON.parse(text);
  for (const version of spec?.versions ?? []) {
    if (!version.served) continue;
    for (let tries = 0; tries < 20; tries++) {
      const { status } = await send('GET', `/apis/${spec.group}/${version.name}`);
      if (status === 200) break;
      await pause(200);
    }
  }
}

const answers = await runSteps(steps, { send, settle });
for (const [index, answer] of answers.entries()) {
  const [method, path] = steps[index];
  process.stdout.write(`${JSON.stringify({ step: `${method} ${path}`, ...answer })}\n`);
}
