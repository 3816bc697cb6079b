// Records the states that the example manifests reach on the real control plane, with its controllers and scheduler:
//
// node test/workloads/record.mjs https://127.0.0.1:PORT TOKEN [NAME ...]
//
// This script simulates the nodes. It writes testdata/recorded.json; if names are given, it only replaces these examples.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { createNode, refreshNode } from '../../packages/controlplane/src/controllers/testdata/player.mjs';
import { requestSender } from '../../scripts/send-requests.mjs';
import { runExample } from './example.mjs';

const [base, token, ...only] = process.argv.slice(2);
const sendRequest = requestSender(base, token);

async function call(method, path, body, type = 'application/json') {
  const { status, body: json } = await sendRequest(
    method,
    path,
    body,
    body === undefined ? {} : { 'content-type': type },
  );
  return { status, json };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

/** Returns the state once it has stayed the same for three seconds. */
async function settled(read) {
  let before = '';
  for (let same = 0; same < 30; ) {
    const text = JSON.stringify(await read());
    same = text === before ? same + 1 : 0;
    before = text;
    await pause();
  }
  return JSON.parse(before);
}

await createNode(call);
const heart = setInterval(() => refreshNode(call), 5_000);
const folder = new URL('testdata/manifests/', import.meta.url);
const file = new URL('testdata/recorded.json', import.meta.url);
const names = readdirSync(folder).map((each) => each.replace('.yaml', ''));
const waiting = names.filter((name) => only.length === 0 || only.includes(name));
const recorded = JSON.parse(readFileSync(file, 'utf8'));

/** Records one example after the other. */
async function work() {
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const text = readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
    const documents = parseAllDocuments(text).map((each) => each.toJS());
    const namespace = `kw-${name}`;
    process.stderr.write(`${name}\n`);
    recorded[name] = await runExample(documents, { call, namespace, pause, settled });
  }
}

await Promise.all(Array.from({ length: 8 }, work));
clearInterval(heart);
sendRequest.close();

// One object per line, so that the diff of a new recording is readable.
const lines = names.map((name) => {
  const objects = Object.entries(recorded[name]).map(
    ([plural, items]) => `  "${plural}": [\n   ${items.map((item) => JSON.stringify(item)).join(',\n   ')}\n  ]`,
  );
  return ` "${name}": {\n${objects.join(',\n')}\n }`;
});
writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
