/**
 * Records the objects that the upstream controllers produce in the scenarios of this folder, one scenario at a time:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN [NAME] > states-1.36.3.json
 *
 * Run the server with its controllers and scheduler. This script acts as the node. The recorded states are already normalized.
 */
import { requestSender } from '../../../../../scripts/send-requests.mjs';
import { createNode, refreshNode, runScenario, scenarios } from './scenarios.mjs';

const [base, token, only] = process.argv.slice(2);
const sendRequest = requestSender(base, token);

async function call(method, path, body, type = 'application/json') {
  const { status, body: json } = await sendRequest(method, path, body, body === undefined ? {} : { 'content-type': type });
  return { status, json };
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
sendRequest.close();
process.stdout.write(`${JSON.stringify(recorded, null, 1)}\n`);
