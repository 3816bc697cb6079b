/**
 * A Node program that stands in for nginx if the machine has none. It serves the files in the folder `KUBEWRIGHT_HTML`,
 * as nginx serves `/usr/share/nginx/html`. If the folder does not exist, it serves a built-in page.
 */
export const nginxStandIn = `
const { createReadStream, statSync } = require('node:fs');
const { createServer } = require('node:http');
const { extname, join } = require('node:path');
const root = process.env.KUBEWRIGHT_HTML;
const page = '<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1><p>Served by the bundled stand-in.</p></body></html>\\n';
const types = {
  '.html': 'text/html', '.htm': 'text/html', '.css': 'text/css', '.txt': 'text/plain', '.js': 'application/javascript',
  '.mjs': 'application/javascript', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png', '.jpg': 'image/jpeg',
};
const stat = (path) => {
  try { return statSync(path); } catch { return undefined; }
};
const fileOf = (url) => {
  let path;
  try { path = decodeURIComponent(url.replace(/[?#].*$/s, '')); } catch { return undefined; }
  if (path.includes('\\0') || path.split(/[/\\\\]/).includes('..')) return undefined;
  const asked = join(root, path);
  const file = stat(asked)?.isDirectory() ? join(asked, 'index.html') : asked;
  return stat(file)?.isFile() ? file : undefined;
};
const server = createServer((request, response) => {
  const { method, url } = request;
  const answer = (status, type, body) => {
    response.writeHead(status, { 'content-type': type, server: 'nginx (stand-in)' });
    if (method === 'HEAD') response.end();
    else if (typeof body === 'string') response.end(body);
    else body().on('error', () => response.destroy()).pipe(response);
    console.log(request.socket.remoteAddress + ' "' + method + ' ' + url + '" ' + status);
  };
  if (method !== 'GET' && method !== 'HEAD') return answer(405, 'text/html', '<html><body><h1>405 Not Allowed</h1></body></html>\\n');
  const isPage = !stat(root)?.isDirectory() && (url === '/' || url === '/index.html');
  const file = isPage ? undefined : fileOf(url);
  if (isPage) answer(200, 'text/html', page);
  else if (file) answer(200, types[extname(file)] ?? 'application/octet-stream', () => createReadStream(file));
  else answer(404, 'text/html', '<html><body><h1>404 Not Found</h1></body></html>\\n');
});
const listen = (port) => server.listen(port, process.env.KUBEWRIGHT_LISTEN);
server.on('listening', () => console.error('listening on ' + process.env.KUBEWRIGHT_LISTEN + ':' + server.address().port));
server.on('error', (error) => {
  console.error('cannot listen: ' + error.message);
  if (error.code !== 'EACCES') process.exit(1);
  console.error('permission denied for port 80; using 8080 instead');
  listen(8080);
});
listen(80);
for (const signal of ['SIGTERM', 'SIGQUIT', 'SIGINT']) process.on(signal, () => process.exit(0));
`;
