import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveError } from '../src/archive/archive-error.ts';
import { type S3Bucket, S3Client } from '../src/archive/s3-client.ts';

const maxAttempts = 5;

/** An S3 server (the program `versitygw`), with one bucket in a temporary folder. */
export class S3Server implements AsyncDisposable {
  readonly bucket: S3Bucket;
  /** Folder in which the server stores the objects as files. */
  readonly folder: string;
  readonly #root: string;
  readonly #process: ChildProcess;

  private constructor(parts: { bucket: S3Bucket; folder: string; root: string; process: ChildProcess }) {
    this.bucket = parts.bucket;
    this.folder = parts.folder;
    this.#root = parts.root;
    this.#process = parts.process;
  }

  static async start(): Promise<S3Server> {
    const root = mkdtempSync(join(tmpdir(), 's3-server-'));
    const buckets = join(root, 'buckets');
    const folder = join(buckets, 'archive');
    // By default, versitygw stores metadata in extended attributes, which not every file system supports.
    const metadata = join(root, 'metadata');
    for (const path of [folder, metadata]) mkdirSync(path, { recursive: true });
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const started = await S3Server.#tryStart({ root, buckets, folder, metadata });
      if (started) return started;
    }
    rmSync(root, { recursive: true });
    throw new Error(`versitygw did not start in ${maxAttempts} attempts`);
  }

  /** Starts the server on a free port. Returns undefined if another process took the port in the meantime. */
  static async #tryStart(paths: {
    readonly root: string;
    readonly buckets: string;
    readonly folder: string;
    readonly metadata: string;
  }): Promise<S3Server | undefined> {
    const { root, buckets, folder, metadata } = paths;
    const port = await freePort();
    const bucket = {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'archive',
      accessKeyId: 'test',
      // Random, so that a test cannot reach another server by mistake.
      secretAccessKey: randomUUID(),
    };
    const env = { ...process.env, ROOT_ACCESS_KEY: bucket.accessKeyId, ROOT_SECRET_KEY: bucket.secretAccessKey };
    const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', metadata, buckets];
    const server = spawn('versitygw', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const client = new S3Client(bucket, { attempts: 1, idleTimeoutMs: 5_000 });
    const { signal } = new AbortController();
    while (server.exitCode === null) {
      try {
        const list = { method: 'GET', key: '', query: { 'list-type': '2' }, accept: [200] } as const;
        (await client.send({ ...list, signal })).resume();
        return new S3Server({ bucket, folder, root, process: server });
      } catch (error) {
        if (error instanceof ArchiveError && error.reason === 'Forbidden') break;
        // The server is not listening yet.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    await killProcess(server);
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killProcess(this.#process);
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Kills a process if it is still running, and waits until it has exited. */
async function killProcess(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exited = once(process, 'exit');
  process.kill('SIGKILL');
  await exited;
}

/** Returns an unused port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
