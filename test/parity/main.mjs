/**
 * Compares our API server with kube-apiserver 1.36.3, by generated requests:
 *
 *   npm run parity -- --seed 7 [--per-kind 100] [--only pods] [--out FILE] [--server URL --token TOKEN]
 *
 * Without `--server` it starts the real one from the programs in BIN, or in kubewright-oracle/bin of the user's cache. Exits with 1 if a larger share of the answers differs than ratchet.json allows.
 * `--record` writes the answers of the seed as the fixture that `npm test` replays; `--update` lowers ratchet.json to today's counts.
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
    only: { type: 'string' },
    out: { type: 'string' },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    record: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
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

async function run({ url, token }) {
  const options = { url, token, seed: Number(flags.seed), perKind: Number(flags['per-kind']), only: flags.only };
  const answers = await suite.recordAnswers(options);
  if (flags.record) return suite.writeAnswers(suite.recordedFile, answers);
  const kinds = suite.parityKinds().filter(({ id }) => id.includes(flags.only ?? ''));
  const found = await suite.compareWithOurs(answers, kinds);
  for (const [cause, count] of Object.entries(suite.countCauses(found)).slice(0, 60))
    process.stdout.write(`${count}\t${cause}\n`);
  const share = Math.ceil((found.length / answers.length) * 1000);
  process.stdout.write(`seed ${flags.seed}: ${found.length} of ${answers.length} answers differ (${share} in 1,000)\n`);
  if (flags.out) suite.writeDifferences(flags.out, found);
  if (share > ratchet.livePerThousand) process.exitCode = 1;
}

async function updateRatchet() {
  const found = await suite.compareWithOurs(suite.readAnswers(suite.recordedFile), suite.parityKinds());
  if (flags.out) suite.writeDifferences(flags.out, found);
  writeFileSync(ratchetFile, `${JSON.stringify({ ...ratchet, recorded: suite.countCauses(found) }, undefined, 2)}\n`);
}

/** The suite is TypeScript that imports the sources of our packages; the bundle is in this folder, because paths are relative to it. */
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
