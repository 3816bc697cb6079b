// `npm start -w examples/NAME`: runs the example's operator with `kubewright dev`, and types the commands of its page. With
// `--deployed`, starts only the cluster, because the page deploys the operator.
import { spawn } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../build.mjs';

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const usage = `npm start -w examples/NAME [-- --once]

  --once       exit after the last command of the page; fail if an output differs from the page
  --deployed   start only the cluster: the page deploys the operator
  --page=FILE  type the commands of this page instead of docs/examples/NAME.md`;

process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code; 2 means an invalid flag. */
async function main(flags) {
  const given = flags.findLast((flag) => flag.startsWith('--page='))?.slice('--page='.length);
  const unknown = flags.find(
    (flag) => !['--once', '--deployed', '--help'].includes(flag) && !flag.startsWith('--page='),
  );
  if (unknown !== undefined || flags.includes('--help')) {
    (unknown === undefined ? process.stdout : process.stderr).write(
      unknown === undefined ? `${usage}\n` : `unknown flag ${unknown}\n\n${usage}\n`,
    );
    return unknown === undefined ? 0 : 2;
  }
  const status = await build((line) => process.stdout.write(`${line}\n`));
  if (status !== 0) return status;
  const page = given ?? join(repository, 'docs', 'examples', `${basename(process.cwd())}.md`);
  const walk = [
    join(repository, 'scripts', 'walkthrough', 'walk.mjs'),
    page,
    ...flags.filter((flag) => flag === '--once'),
  ];
  const kubewright = join(repository, 'packages', 'cli', 'dist', 'main.js');
  if (!flags.includes('--deployed'))
    return run([kubewright, 'dev', '--run', [process.execPath, ...walk].map(shellWord).join(' ')]);
  const started = await run([kubewright, 'cluster', 'up', '--background']);
  if (started !== 0) return started;
  try {
    return await run(walk, { KUBECONFIG: join(process.cwd(), '.kubewright', 'kubeconfig') });
  } finally {
    await run([kubewright, 'cluster', 'down']);
  }
}

/** Runs a Node.js program until it exits; returns its exit code. */
function run(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  // The terminal also sends Ctrl-C to the child, which then shuts down cleanly.
  const stop = (name) => child.kill(name);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of signals) process.on(name, stop);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      for (const name of signals) process.off(name, stop);
      resolve(code ?? 1);
    });
  });
}

function shellWord(text) {
  if (process.platform === 'win32') return `"${text}"`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
