import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { afterAll, describe, expect, it } from 'vitest';
import type { CliEnvironment } from '../program/cli-environment.ts';
import { cliEnvironment } from '../program/process-environment.ts';
import { examine, type Finding } from './examine.ts';

const folder = mkdtempSync(join(tmpdir(), 'kw-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));
const base: CliEnvironment = { ...cliEnvironment(), cwd: folder, env: {}, homeDirectory: folder };

/** Writes a kubeconfig and returns its path. */
function kubeconfig(server: string, user: object = {}): string {
  const path = join(folder, 'kubeconfig');
  const config = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Runs `use` with the URL of a server. */
async function withServer<Result>(respond: RequestListener, use: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const find = (findings: readonly Finding[]) => findings.find(({ subject }) => subject === 'kubeconfig');

/** Expects a problem with the kubeconfig, and that no remedy suggests the command that just ran. */
function expectUsefulRemedies(findings: readonly Finding[]): void {
  expect(find(findings)).toMatchObject({ state: 'bad', remedy: expect.any(String) });
  for (const { text, remedy = '' } of findings) expect(`${text} ${remedy}`).not.toMatch(/kubewright doctor/);
}

describe('examine', () => {
  const status = (code: number, reason: string) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message: reason });

  it.each<[string, RequestListener]>([
    ['closes the connection', ({ socket }) => socket.destroy()],
    ['requires a login', (_, response) => response.writeHead(401).end(status(401, 'Unauthorized'))],
    ['denies access', (_, response) => response.writeHead(403).end(status(403, 'Forbidden'))],
    ['fails', (_, response) => response.writeHead(500).end(status(500, 'InternalError'))],
    ['is no API server', (_, response) => response.end('<html>')],
  ])('never recommends itself if the server %s', async (_, respond) => {
    const findings = await withServer(respond, (url) => examine(base, { kubeconfig: kubeconfig(url) }));
    expectUsefulRemedies(findings);
  });

  it('never recommends itself if the server does not respond in time', async () => {
    const clock = new VirtualClock();
    let receive = (): void => undefined;
    const received = new Promise<void>((resolve) => {
      receive = resolve;
    });
    const findings = await withServer(
      () => receive(),
      async (url) => {
        const examined = examine({ ...base, clock }, { kubeconfig: kubeconfig(url) });
        await received;
        await clock.advance(3_000);
        return examined;
      },
    );
    expectUsefulRemedies(findings);
    expect(find(findings)?.text).toContain('no response within 3 s');
  });

  it.each<[string, () => string]>([
    ['nothing listens at the address', () => kubeconfig('http://127.0.0.1:9')],
    ['the kubeconfig does not exist', () => join(folder, 'missing')],
    ['the kubeconfig has no server', () => kubeconfig('')],
    [
      'the credential plugin does not exist',
      () =>
        kubeconfig('https://127.0.0.1:9', {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: join(folder, 'missing'),
            interactiveMode: 'Never',
          },
        }),
    ],
  ])('never recommends itself if %s', async (_, file) => {
    expectUsefulRemedies(await examine({ ...base, cwd: join(folder, 'missing') }, { kubeconfig: file() }));
  });
});
