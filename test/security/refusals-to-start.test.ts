import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { ListenError } from '@kubewright/apiserver';
import { EmbeddedCluster, StateDirectoryError } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Three lines: the error, the cause and the remedy. */
const THREE_LINES = /^\S[^\n]*\n {2}why: [^\n]+\n {2}fix: [^\n]+\n?$/;
/** The parts of every error that the user can fix. */
const allParts = { what: expect.any(String), why: expect.any(String), remedy: expect.any(String) };
const startScript = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kw-refusal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(directory: string, port?: number): Promise<EmbeddedCluster> {
  return EmbeddedCluster.start({ directory, port, clock: systemClock, random: systemRandom, log: silentLogger });
}

async function failure(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return error as Error;
}

describe('a failed start', () => {
  it('reports a busy port, and releases the folder', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const error = await failure(start(folder, port));
    other.close();
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject(allParts);
    expect(error.message).toContain(String(port));
    const cluster = await start(folder);
    await cluster[Symbol.asyncDispose]();
  });

  it('reports a folder that cannot be created', async () => {
    writeFileSync(join(folder, 'in-the-way'), '');
    const error = await failure(start(join(folder, 'in-the-way', '.kubewright')));
    expect(error).toBeInstanceOf(StateDirectoryError);
    expect(error).toMatchObject(allParts);
  });

  it('reports a folder that is in use', async () => {
    const cluster = await start(folder);
    const error = await failure(start(folder));
    await cluster[Symbol.asyncDispose]();
    expect(error).toMatchObject(allParts);
    expect(error.message).toContain(`pid ${process.pid}`);
  });

  it.each(['18.20.8', '20.18.3', '21.7.3', '22.11.0'])('reports an unsupported Node %s', (version) => {
    const faked = join(folder, 'faked.mjs');
    writeFileSync(
      faked,
      `const node = '${version}';
Object.defineProperty(process, 'version', { value: 'v' + node });
Object.defineProperty(process, 'versions', { value: { ...process.versions, node } });\n`,
    );
    const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', faked, startScript], {
      encoding: 'utf8',
      cwd: folder,
    });
    expect(stdout).toBe('');
    expect(stderr).toMatch(THREE_LINES);
    expect(stderr).toContain(`v${version}`);
    expect(status).toBe(1);
  });
});

describe('a machine without PostgreSQL', () => {
  it('gets a report of what is missing, the searched locations and the remedy', async () => {
    const { postgresImage } = await import('../../packages/controlplane/src/node/process/images/postgres.ts');
    const env = { PG_BIN: folder, PATH: '', KUBEWRIGHT_PG_FOLDERS: '' };
    const image = postgresImage({ env, platform: process.platform, fallback: async () => undefined });
    const { message } = await failure(Promise.resolve(image.find('17')));
    expect(message).toMatch(
      /^PostgreSQL server programs not found \(searched PG_BIN, PATH .*\); install PostgreSQL, or set PG_BIN/,
    );
  });
});
