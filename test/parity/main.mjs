/**
 * Compares our API server with kube-apiserver 1.36.3, using generated requests:
 *
 * npm run parity -- --seed 7 [--per-kind 100] [--only pods] [--out FILE] [--server URL --token TOKEN]
 *
 * Without `--server`, starts the real server from the programs in BIN, or in kubewright-oracle/bin of the user's cache
 * folder. Exits with 1 if a larger share of the responses differs than ratchet.json allows. `--part` chooses single
 * `writes` or `sequences` of writes, lists and watches. `--record` writes the answers of the part as the fixture that
 * `npm test` replays; `--keep` adds the requests that differ to the fixtures without differences; `--update` lowers ratchet.json to today's counts.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { programsFolder, startControlPlane } from '../../scripts/proof/control-plane.mjs';

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    'per-kind': { type: 'string', default: '100' },
    part: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string' },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    record: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const here = fileURLToPath(new URL('.', import.meta.url));
const ratchetFile = join(here, 'ratchet.json');
const ratchet = JSON.parse(readFileSync(ratchetFile, 'utf8'));
const suite = await loadSuite();

if (flags.update) await updateRatchet();
else {
  const started = flags.server ? undefined : await startControlPlane(programsFolder(process.env));
  try {
    await run(started ?? { url: flags.server, token: flags.token });
  } finally {
    await started?.[Symbol.asyncDispose]();
  }
}

async function run(server) {
  const parts = flags.part ? [flags.part] : ['writes', 'sequences'];
  if (flags.record && parts.length > 1)
    throw new Error('--record writes one fixture; add --part writes or --part sequences');
  for (const part of parts) await (part === 'writes' ? compareWrites(server) : playSequences(server));
}

async function compareWrites({ url, token }) {
  const options = { url, token, seed: Number(flags.seed), perKind: Number(flags['per-kind']), only: flags.only };
  const answers = await suite.recordAnswers(options);
  if (flags.record) return suite.writeAnswers(suite.recordedFile, answers);
  const kinds = suite.parityKinds().filter(({ id }) => id.includes(flags.only ?? ''));
  const found = await suite.compareWithOurs(answers, kinds);
  if (flags.keep) suite.keepAnswers(found);
  report(found, { part: 'writes', total: answers.length, counts: suite.countCauses(found) });
}

/** Compares sequences. `--per-kind` counts requests, and a sequence has about 35. */
async function playSequences({ url, token }) {
  const perKind = flags.record ? 1 : Math.ceil(Number(flags['per-kind']) / 35);
  const recorded = await suite.recordSequences({ url, token, seed: Number(flags.seed), perKind, only: flags.only });
  if (flags.record) return suite.writeSequences(suite.recordedSequences, recorded);
  const found = await suite.compareSequencesWithOurs(recorded);
  if (flags.keep) suite.keepSequences(found, recorded);
  const total = recorded.reduce((sum, { answers }) => sum + answers.length, 0);
  report(found, { part: 'sequences', total, counts: suite.countCauses(found) });
}

function report(found, { part, total, counts }) {
  for (const [cause, count] of Object.entries(counts).slice(0, 60)) process.stdout.write(`${count}\t${cause}\n`);
  const share = Math.ceil((found.length / total) * 1000);
  process.stdout.write(`seed ${flags.seed}: ${found.length} of ${total} ${part} differ (${share} in 1,000)\n`);
  if (flags.out) suite.writeDifferences(`${flags.out}.${part}`, found);
  if (share > ratchet.livePerThousand[part]) process.exitCode = 1;
}

async function updateRatchet() {
  const found = await suite.compareWithOurs(suite.readAnswers(suite.recordedFile), suite.parityKinds());
  const differ = await suite.compareSequencesWithOurs(suite.readSequences(suite.recordedSequences));
  if (flags.out) suite.writeDifferences(`${flags.out}.writes`, found);
  if (flags.out) suite.writeDifferences(`${flags.out}.sequences`, differ);
  const counts = { recorded: suite.countCauses(found), sequences: suite.countCauses(differ) };
  writeFileSync(ratchetFile, `${JSON.stringify({ ...ratchet, ...counts }, undefined, 2)}\n`);
}

/**
 * Bundles and loads the suite, which is TypeScript that imports the sources of our packages. The bundle is in this folder,
 * because the suite reads files relative to its own path.
 */
async function loadSuite() {
  const outfile = join(here, 'live.bundle.mjs');
  const banner = { js: "import { createRequire as c } from 'node:module'; const require = c(import.meta.url);" };
  const settings = { bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'error', banner };
  const conditions = ['kubewright-source'];
  await build({ ...settings, entryPoints: [join(here, 'live.ts')], outfile, conditions, external: ['classic-level'] });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}
