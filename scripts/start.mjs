// `npm start`: builds out-of-date packages, then runs the example operator on an embedded cluster in this process. Uses
// only syntax that old Node versions can parse, so that an unsupported version can print the error below.
const [major, minor] = process.versions.node.split('.').map(Number);
const supported = major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
if (!supported) {
  process.stderr.write(
    `Kubewright does not run on Node.js ${process.version}\n  why: it requires ^20.19, ^22.12 or >=24\n  fix: install a newer version from https://nodejs.org, then run npm ci && npm start\n`,
  );
  process.exitCode = 1;
} else {
  process.exitCode = await main();
}

/** Returns the exit code; 2 means an invalid flag. */
async function main() {
  const { readFlags, usage } = await import('../examples/postgresql/dev/flags.mjs');
  let flags;
  try {
    flags = readFlags(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}\n`);
    return 2;
  }
  if (flags.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const { EarlyStop } = await import('../examples/postgresql/dev/early-stop.mjs');
  const early = new EarlyStop(process);
  const { start, status } = await load().catch(async (error) => {
    // Ctrl-C also reaches the compiler and the bundler, which then fail.
    if ((await early.asked()) === 0) throw error;
    return { status: 1 };
  });
  const asked = await early.asked();
  if (asked !== 0) {
    process.stdout.write(process.stdout.isTTY ? '\nstopped\n' : 'stopped\n');
    return flags.once ? asked : 0;
  }
  if (!start) return status;
  const running = start(flags);
  // The started program handles signals from here on.
  early[Symbol.dispose]();
  return running;
}

/** Builds out-of-date packages and loads the example; returns the compiler's exit code if compiling fails. */
async function load() {
  const { build } = await import('./build.mjs');
  const status = await build(printStep);
  if (status !== 0) return { status };
  await keepCompiledCode();
  const { start } = await import('../examples/postgresql/dist/dev/start.js');
  return { start };
}

/** Prints a line in the format of the steps that follow. */
function printStep(line) {
  const { stdout, env } = process;
  const time = `${process.uptime().toFixed(2).padStart(7)} s`;
  stdout.write(`${stdout.isTTY && !env.NO_COLOR ? `\u001b[2m${time}\u001b[0m` : time}  ${line}\n`);
}

/** Lets Node.js (22 and newer) cache compiled code next to the build, which makes later starts faster. */
async function keepCompiledCode() {
  const module = await import('node:module');
  const folder = new URL('../node_modules/.cache/kubewright', import.meta.url);
  module.enableCompileCache?.((await import('node:url')).fileURLToPath(folder));
}
