/**
 * Records the real API server's responses to a script of requests, and what the server sends to webhooks meanwhile:
 *
 *   node record-webhooks.mjs https://127.0.0.1:PORT TOKEN admission > admission-1.36.3.jsonl
 *
 * The server must be fresh and run on this machine. In the recording, `{url}` stands for the webhook server's address.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestSender } from '../../../../../../scripts/send-requests.mjs';
import { runSteps } from '../../testdata/run-steps.mjs';
import { CERTIFICATE_NAMES } from './certificate-names.mjs';
import { fillSteps, withoutAddress } from './fill-steps.mjs';
import { startWebhookServer } from './webhook-server.mjs';

const [base, token, script] = process.argv.slice(2);
const { steps } = await import(`./${script}.mjs`);
const { behaviors } = await import(`./${script}-behaviors.mjs`);
const certificates = makeCertificates();
const server = await startWebhookServer({ ...certificates, behaviors });
const sendRequest = requestSender(base, token, { userAgent: 'test/1.0' });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const received = [];

async function send(method, path, body, headers) {
  const { status, headers: answered, text } = await sendRequest(method, path, body, headers);
  return { status, ...(answered.warning && { warning: answered.warning }), text };
}

async function settle({ method, path, answer }) {
  const configures = /webhookconfigurations|customresourcedefinitions/.test(path) && answer.status < 300;
  if (configures && method !== 'GET') await pause(2500);
  // The conversion may serve a cache that is filled later.
  else if (script === 'conversion') await pause(300);
  received.push(server.take());
}

const answers = await runSteps(fillSteps(steps, { server, ...certificates }), { send, settle });
for (const [index, answer] of answers.entries()) {
  const [method, path] = steps[index];
  const line = JSON.stringify({ step: `${method} ${path}`, ...answer, received: received[index] });
  process.stdout.write(`${withoutAddress(line, server)}\n`);
}
sendRequest.close();
await server.close();

function makeCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
  const at = (name) => join(folder, name);
  const run = (...args) => execFileSync('openssl', args, { stdio: 'pipe' });
  const authority = (name) => run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', at(`${name}.key`), '-out', at(`${name}.crt`), '-subj', `/CN=${name}`, '-days', '2');
  for (const name of ['ca', 'other']) authority(name);
  writeFileSync(at('ext'), `subjectAltName=${CERTIFICATE_NAMES.dns.map((name) => `DNS:${name}`)},${CERTIFICATE_NAMES.ip.map((ip) => `IP:${ip}`)}`);
  run('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', at('tls.key'), '-out', at('tls.csr'), '-subj', '/CN=webhook');
  run('x509', '-req', '-in', at('tls.csr'), '-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-out', at('tls.crt'), '-days', '1', '-CAcreateserial', '-extfile', at('ext'));
  const read = (name) => readFileSync(at(name), 'utf8');
  const made = { key: read('tls.key'), cert: read('tls.crt'), ca: read('ca.crt'), otherCa: read('other.crt') };
  rmSync(folder, { recursive: true });
  return made;
}
