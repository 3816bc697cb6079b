import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { nginxStandIn } from './nginx-stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'kw-nginx-'));
const running: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(html: string): Promise<(path: string, method?: string) => Promise<string>> {
  const host = process.platform === 'linux' ? '127.83.7.9' : '127.0.0.1';
  const env = { ...process.env, KUBEWRIGHT_LISTEN: host, KUBEWRIGHT_HTML: html };
  const child = spawn(process.execPath, ['-e', nginxStandIn], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  running.push(child);
  let port: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    port = /^listening on .*:(\d+)$/.exec(line)?.[1];
    if (port) break;
  }
  return (path, method = 'GET') =>
    new Promise((resolve, reject) => {
      // Sends the path unchanged: fetch would remove /../.
      const asked = request({ host, port, path, method, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(`${response.statusCode} ${response.headers['content-type']} ${text}`));
      });
      asked.on('error', reject).end();
    });
}

describe('stand-in for nginx', () => {
  it('serves only files under the mounted folder', async () => {
    const html = join(folder, 'html');
    mkdirSync(join(html, 'news'), { recursive: true });
    writeFileSync(join(html, 'index.html'), 'mine');
    writeFileSync(join(html, 'news', 'index.html'), 'new');
    writeFileSync(join(html, 'a b.css'), 'p {}');
    writeFileSync(join(folder, 'secret'), 'not for you');
    const get = await start(html);
    expect(await get('/')).toBe('200 text/html mine');
    expect(await get('/?x=1')).toBe('200 text/html mine');
    expect(await get('/news/')).toBe('200 text/html new');
    expect(await get('/a%20b.css')).toBe('200 text/css p {}');
    expect(await get('/index.html', 'HEAD')).toBe('200 text/html ');
    expect(await get('/', 'POST')).toMatch(/^405 /);
    for (const path of ['/none', '/../secret', '/%2e%2e/secret', '/..%2fsecret', '/%00', '/%zz'])
      expect(await get(path)).toMatch(/^404 /);
  });

  it('serves its own page if no folder is mounted', async () => {
    const get = await start(join(folder, 'none'));
    expect(await get('/')).toMatch(/^200 text\/html .*Welcome to nginx!/);
    expect(await get('/secret')).toMatch(/^404 /);
  });
});
