// The HTTP server of the local registry. Every request gets a response, and no request crashes the process.
import { createServer } from 'node:http';

/** Matches a package name with its scope, optionally followed by a version or a tag. */
const form = /^(?:@[\w.~-]+\/)?[\w.~-]+(?:\/[\w.~+-]+)?$/;

/** Thrown for a request that gets a 4xx response. */
class BadRequest extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Creates the server; the caller makes it listen.
 *
 * @param packages - name → versions, newest last
 * @param upstream - registry for all other packages; if undefined, requests for them return 404
 */
export function createRegistry({ packages, upstream }) {
  const server = createServer((request, response) => {
    // An unread body, such as an audit's, would block the connection.
    request.resume();
    try {
      handle(request, { response, packages, upstream, address: `http://127.0.0.1:${server.address().port}` });
    } catch (error) {
      if (response.headersSent) response.destroy(error);
      else answer(response, error instanceof BadRequest ? error.status : 500, { error: error.message });
    }
  });
  return server;
}

function handle({ method, url }, { response, packages, upstream, address }) {
  const path = pathOf(url);
  // This registry does not support audits, searches and logins.
  const isService = path.startsWith('-/');
  if (method !== 'GET' && method !== 'HEAD' && !isService) throw new BadRequest(405, `method ${method} is not allowed`);
  const [, name, tarball] = /^(.*?)(?:\/-\/(.*)\.tgz)?$/.exec(path);
  const versions = packages.get(name);
  if (!versions) return redirect(response, { url, upstream, name: isService ? undefined : name });
  if (!tarball) return answer(response, 200, documentOf(name, versions, address));
  const found = versions.find(({ manifest }) => manifest.version === tarball);
  if (!found) throw new BadRequest(404, `${name}@${tarball} not found`);
  const bytes = found.pack();
  return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
}

/** Returns the decoded path of a request, without the leading slash. */
function pathOf(url) {
  if (!url.startsWith('/')) throw new BadRequest(400, 'the request URL must be a path');
  let path;
  try {
    path = decodeURIComponent(url.slice(1).split('?')[0]);
  } catch {
    // An invalid escape sequence, such as %zz.
    throw new BadRequest(400, 'invalid percent-encoding in the path');
  }
  const steps = path.split('/');
  const isPlain = steps.every((step) => /^[\w@.~!*'()+-]+$/.test(step) && step !== '.' && step !== '..');
  if (!isPlain) throw new BadRequest(400, 'invalid package name');
  return path;
}

/** Redirects requests for other packages to the upstream registry, and to no other server. */
function redirect(response, { url, upstream, name }) {
  if (name !== undefined && !form.test(name)) throw new BadRequest(400, 'invalid package name');
  if (upstream === undefined) throw new BadRequest(404, `${name ?? url} is not installed in this clone`);
  const base = upstream.endsWith('/') ? upstream : `${upstream}/`;
  // The dot makes the path relative, whatever follows it.
  const location = new URL(`./${url.slice(1)}`, base).href;
  if (!location.startsWith(base)) throw new BadRequest(400, 'the path is outside the registry');
  response.writeHead(307, { location }).end();
}

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
