// Runs a package registry on this machine, which serves the packages of this clone as if they were published. All other
// packages come from the registry that npm is configured to use or, with --offline, from the packages installed in this
// clone. `npm run registry`; Ctrl-C stops it.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installedPackages, workspacePackages } from './registry/packages.mjs';
import { createRegistry } from './registry/server.mjs';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '4873' }, offline: { type: 'boolean', default: false } },
});

if ((await build(() => console.log('building …'))) !== 0) process.exit(1);
const configured = new URL(execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim());
// Redirects would loop in a terminal that already uses this registry.
const isOwn = ['127.0.0.1', 'localhost'].includes(configured.hostname) && configured.port === values.port;
const upstream = isOwn ? 'https://registry.npmjs.org/' : configured.href;
/** Name → versions, newest last. */
const packages = new Map([...(values.offline ? installedPackages() : []), ...workspacePackages()]);

const server = createRegistry({ packages, upstream: values.offline ? undefined : upstream });
server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`export npm_config_registry=http://127.0.0.1:${server.address().port}/`);
});
server.on('error', (error) => {
  console.error(
    `the registry cannot listen on port ${values.port}\n  why: ${error.message}\n  fix: use a free port: node scripts/registry.mjs --port 0`,
  );
  process.exitCode = 1;
});
