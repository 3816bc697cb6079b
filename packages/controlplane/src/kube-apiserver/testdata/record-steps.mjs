/**
 * Records the real API server's responses to a script of requests (see `run-steps.mjs`), one per line:
 *
 *   node record-steps.mjs https://127.0.0.1:PORT TOKEN ../crd/testdata/definitions.mjs > ../crd/testdata/definitions-1.36.3.jsonl
 *
 * Controllers must be running, because they clean up after deleted definitions. Uids, times and resourceVersions are recorded
 * unchanged, and the replay normalises both sides. The server must be fresh, because names are fixed.
 */
import { resolve as resolvePath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requestSender } from '../../../../../scripts/send-requests.mjs';
import { runSteps } from './run-steps.mjs';

const [base, token, script] = process.argv.slice(2);
const { steps } = await import(pathToFileURL(resolvePath(script)));
const sendRequest = requestSender(base, token, { userAgent: 'test/1.0' });

async function send(method, path, body, headers) {
  for (;;) {
    const { status, headers: answered, text } = await sendRequest(method, path, body, headers);
    const { warning, 'content-type': type } = answered;
    if (status !== 429 || path.endsWith('/eviction')) return { status, type, ...(warning && { warning }), text };
    await pause(1000); // the watch cache is not ready yet
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for controllers, which accept names, establish kinds and switch handlers a moment after the write. */
async function settle({ method, path, answer }) {
  if (method === 'GET' || answer.status >= 300 || path.includes('dryRun')) return;
  if (path.includes('admissionpolicybindings')) await pause(1500); // policies are reloaded every second
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
sendRequest.close();
