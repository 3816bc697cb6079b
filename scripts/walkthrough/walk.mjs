// Runs the commands of a page on the cluster of KUBECONFIG, as a reader would: each `sh` block without a title, under
// its heading. A `text` block after an `sh` block is the output that the page shows.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectedOutput } from './expected-output.mjs';
import { pageBlocks } from './page-blocks.mjs';

const [path, ...flags] = process.argv.slice(2);
const isOnce = flags.includes('--once');
/** Time limit, in milliseconds, for repeating a read-only command until it prints the output that the page shows. */
const patienceMs = 30_000;
const pauseMs = 200;
const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[0m` : text);

process.exitCode = await walk(readFileSync(path, 'utf8'));

async function walk(text) {
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) {
    process.stderr.write(
      'cannot type the commands of the page\n  why: kubectl is not on the PATH\n  fix: install it: https://kubernetes.io/docs/tasks/tools/\n',
    );
    return 1;
  }
  const blocks = pageBlocks(text);
  const steps = blocks.filter(({ language, title }) => language === 'sh' && title === '');
  let heading = '';
  let failures = 0;
  for (const step of steps) {
    const next = blocks[blocks.indexOf(step) + 1];
    const current = headingAt(text, step.line);
    if (current !== heading) process.stdout.write(`\n${bold(`# ${current}`)}\n`);
    heading = current;
    // Without --once, continue: the reader keeps the cluster, and the rest of the page may work.
    if (await type(step, next?.language === 'text' ? next.text : undefined)) continue;
    if (isOnce) return 1;
    failures++;
  }
  if (isOnce) return 0;
  if (failures > 0)
    process.stdout.write(`\nCommands that did not do what the page says: ${failures} of ${steps.length}, see above.\n`);
  process.stdout.write(
    `\nThe cluster is yours. In another terminal:\n\n  export KUBECONFIG=${process.env.KUBECONFIG}\n\nPress Ctrl-C to stop.\n`,
  );
  return stopped();
}

/** Runs one block; returns true if the commands succeeded and printed the output that the page shows. */
async function type({ text, line }, shown) {
  for (const command of text.trimEnd().split(/(?<!\\)\n/)) process.stdout.write(`${bold(`$ ${command}`)}\n`);
  const matches = shown === undefined ? () => true : expectedOutput(shown);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { exitCode, output, stdout } = await run(text);
    // Compare stdout alone too, because tools print warnings about the machine to stderr.
    const isAsShown = matches(output) || (exitCode === 0 && matches(stdout));
    // A failing command counts as expected only if the page shows its complete output.
    if (isAsShown && (exitCode === 0 || shown !== undefined)) {
      process.stdout.write(output);
      return true;
    }
    if (onlyReads(text) && performance.now() < deadline) {
      await sleep(pauseMs);
      continue;
    }
    process.stdout.write(output);
    const why = isAsShown ? `it exited with ${exitCode}` : `the page shows\n${shown}`;
    process.stderr.write(`${path}:${line}: the command did not do what the page says\n  why: ${why}\n`);
    return false;
  }
}

/** True for commands that a reader would repeat until the cluster has settled. */
function onlyReads(text) {
  const lines = text.trimEnd().split(/(?<!\\)\n/);
  return lines.every((line) =>
    /^kubectl (get|describe|logs|rollout status|wait|auth can-i|explain|top|exec|api-versions|api-resources)\b/.test(
      line,
    ),
  );
}

function run(text) {
  const shell = process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-ec'];
  const child = spawn(shell[0], [...shell.slice(1), text], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ exitCode: 127, output: `${message}\n`, stdout }));
    child.once('close', (code) => resolve({ exitCode: code ?? 1, output, stdout }));
  });
}

/** Returns the last heading above a line; line numbers start at 1. */
function headingAt(text, line) {
  const above = text.split('\n').slice(0, line - 1);
  return (above.findLast((each) => each.startsWith('#')) ?? '').replace(/^#+\s*/, '');
}

/** Waits for Ctrl-C. */
function stopped() {
  return new Promise((resolve) => {
    const alive = setInterval(() => {}, 60_000);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(name, () => {
        clearInterval(alive);
        resolve(0);
      });
    }
  });
}
