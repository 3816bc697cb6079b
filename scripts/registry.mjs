// A package registry on this machine: the packages of this clone as if they were published, and everything else from the
// registry that npm is set to; with --offline from what is installed here. `npm run registry`, Ctrl-C ends it.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installedPackages, workspacePackages } from './registry/packages.mjs';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '4873' }, offline: { type: 'boolean', default: false } },
});

if ((await build(() => console.log('building …'))) !== 0) process.exit(1);
const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
/** Name → versions, newest last. */
const packages = new Map([...(values.offline ? installedPackages() : []), ...workspacePackages()]);

const server = createServer((request, response) => {
  const address = `http://127.0.0.1:${server.address().port}`;
  const path = decodeURIComponent(new URL(request.url, address).pathname.slice(1));
  const [, name, tarball] = /^(.*?)(?:\/-\/(.*)\.tgz)?$/.exec(path);
  const versions = packages.get(name);
  if (!versions && values.offline) return answer(response, 404, { error: `${name} is not installed in the clone` });
  if (!versions) return response.writeHead(307, { location: new URL(request.url.slice(1), upstream).href }).end();
  if (!tarball) return answer(response, 200, documentOf(name, versions, address));
  const found = versions.find(({ manifest }) => manifest.version === tarball);
  if (!found) return answer(response, 404, { error: `there is no ${name}@${tarball}` });
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.pack());
});

function documentOf(name, versions, address) {
  const entries = versions.map(({ manifest }) => {
    const tarball = `${address}/${encodeURIComponent(name)}/-/${manifest.version}.tgz`;
    return [manifest.version, { ...manifest, dist: { tarball } }];
  });
  return { name, 'dist-tags': { latest: entries.at(-1)[0] }, versions: Object.fromEntries(entries) };
}

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`export npm_config_registry=http://127.0.0.1:${server.address().port}/`);
});
server.on('error', (error) => {
  console.error(`the registry cannot listen\n  why: ${error.message}\n  do: node scripts/registry.mjs --port 0`);
  process.exitCode = 1;
});
