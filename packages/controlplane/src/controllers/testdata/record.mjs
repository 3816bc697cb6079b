/**
 * Records what the real controllers make of the scenarios beside this file, one after the other:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN [NAME] > states-1.36.3.json
 *
 * The server runs with its controllers and scheduler; this script plays the node. States are normalised already, for
 * nothing else of them is compared.
 */
import { Agent, request as httpsRequest } from 'node:https';
import { createNode, refreshNode, runScenario, scenarios } from './scenarios.mjs';

const [base, token, only] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

function call(method, path, body, type = 'application/json') {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(base + path, {
      method,
      agent,
      headers: {
        authorization: `Bearer ${token}`,
        ...(text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (response) => {
      let answer = '';
      for await (const chunk of response) answer += chunk;
      resolve({ status: response.statusCode, json: answer.startsWith('{') ? JSON.parse(answer) : answer });
    });
    outgoing.end(text);
  });
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
await createNode(call);
const heart = setInterval(() => refreshNode(call), 5_000);
const recorded = {};
for (const name of Object.keys(scenarios)) {
  if (only && !name.includes(only)) continue;
  const namespace = `rec-${process.pid}-${Object.keys(recorded).length}`;
  process.stderr.write(`${name}\n`);
  try {
    recorded[name] = await runScenario(name, { call, namespace, pause, patience: 600 });
  } catch (error) {
    process.stderr.write(`  ${error.stack}\n`);
  }
}
clearInterval(heart);
agent.destroy();
process.stdout.write(`${JSON.stringify(recorded, null, 1)}\n`);
