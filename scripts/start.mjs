// `npm start`: builds what is not current, then runs the example operator on an embedded cluster, in this process.
// Plain old syntax up to the version check, so that a Node too old can still read it and say so.
const [major, minor] = process.versions.node.split('.').map(Number);
const supported = major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
if (!supported) {
  process.stderr.write(
    `Kubewright cannot run on this Node (${process.version})\n  why: it needs ^20.19, ^22.12 or 24 and newer\n  do: install a newer one from https://nodejs.org, then npm ci && npm start\n`,
  );
  process.exitCode = 1;
} else {
  await import('./build.mjs');
  if (process.exitCode === 0) {
    await keepCompiledCode();
    const { start } = await import('../examples/postgresql/dist/dev/start.js');
    process.exitCode = await start(process.argv.slice(2));
  }
}

/** Lets Node (22 and newer) keep what it compiled beside the build, so that later starts need not do it again. */
async function keepCompiledCode() {
  const module = await import('node:module');
  const folder = new URL('../node_modules/.cache/kubewright', import.meta.url);
  module.enableCompileCache?.((await import('node:url')).fileURLToPath(folder));
}
