import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { ProgramContext } from '../src/instance/server/run-program.ts';

/** User that runs PostgreSQL if the test runs as root, because PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** A temporary folder that PostgreSQL's user may write to. */
export class PostgresFolder implements Disposable {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'pg-'));
    if (user) chownSync(this.path, user.uid, user.gid);
  }

  /** Creates a subfolder owned by PostgreSQL's user. */
  make(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { mode: 0o700 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  }

  /** Creates a subfolder that this process and PostgreSQL can both write to, like a volume of a pod with `fsGroup`. */
  share(name: string): string {
    const path = this.make(name);
    chmodSync(path, 0o2770);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/**
 * Returns the context to run PostgreSQL's programs with, or undefined if this version is not installed. `POSTGRES_18_BIN` is the
 * folder of version 18.
 */
export function postgresPrograms(folder: PostgresFolder, version?: 18): ProgramContext | undefined {
  const installed = version === 18 ? process.env['POSTGRES_18_BIN'] : serverOnPath();
  if (!installed) return undefined;
  const env = { ...process.env, PGUSER: 'postgres', LC_ALL: 'C' };
  if (version !== 18 || !user) return { folder: installed, env, ...(user && { user }) };
  // Copies the installation, because its folder may be accessible only to root. The libraries are two levels above the
  // programs.
  const root = join(dirname(installed), '..', '..');
  const copy = join(folder.path, 'programs');
  for (const name of readdirSync(root)) {
    if (name.endsWith('.libs')) cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  const inside = relative(root, installed);
  cpSync(dirname(installed), dirname(join(copy, inside)), { recursive: true });
  chmodSync(copy, 0o755);
  return { folder: join(copy, inside), env, user };
}

/** Returns the folder with all programs. The folder on the PATH may contain only symbolic links to some of them. */
function serverOnPath(): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'command -v postgres'], { encoding: 'utf8' });
  return stdout.trim() === '' ? undefined : dirname(realpathSync(stdout.trim()));
}

/** A PostgreSQL server for tests. It listens on a Unix socket in its folder. */
export class TestServer implements AsyncDisposable {
  readonly dataDirectory: string;
  readonly #programs: ProgramContext;
  readonly #sockets: string;
  #process: ChildProcess | undefined;
  #output = '';

  /** @param dataDirectory - must exist and be empty before {@link initialize} */
  constructor(dataDirectory: string, programs: ProgramContext, sockets: string) {
    this.dataDirectory = dataDirectory;
    this.#programs = programs;
    this.#sockets = sockets;
  }

  get connection(): string {
    return `host=${this.#sockets} user=postgres dbname=postgres`;
  }

  initialize(settings: Readonly<Record<string, string>> = {}): this {
    const args = ['-D', this.dataDirectory, '-U', 'postgres', '-A', 'trust', '--no-sync', '--data-checksums'];
    execFileSync(`${this.#programs.folder}/initdb`, args, {
      ...user,
      env: this.#programs.env,
      cwd: '/',
      stdio: 'pipe',
    });
    this.configure(settings);
    return this;
  }

  /** Clones a running server, as a replica that streams from it. */
  clone(primary: TestServer): this {
    const args = ['-d', primary.connection, '-D', this.dataDirectory, '-R', '-c', 'fast'];
    execFileSync(`${this.#programs.folder}/pg_basebackup`, args, {
      ...user,
      env: this.#programs.env,
      cwd: '/',
      stdio: 'pipe',
    });
    return this;
  }

  configure(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    appendFileSync(join(this.dataDirectory, 'postgresql.conf'), lines.join(''));
  }

  /** Starts the server, and waits until the query `until` returns `t`; by default, until the server accepts connections. */
  async start(until = 'SELECT true'): Promise<this> {
    const args = ['-D', this.dataDirectory, '-k', this.#sockets, '-c', 'listen_addresses='];
    const server = spawn(`${this.#programs.folder}/postgres`, args, { ...user, env: this.#programs.env, cwd: '/' });
    this.#process = server;
    const keep = (text: string) => {
      this.#output += text;
    };
    server.stdout.setEncoding('utf8').on('data', keep);
    server.stderr.setEncoding('utf8').on('data', keep);
    for (;;) {
      if (server.exitCode !== null) throw new Error(`the server exited:\n${this.#output}`);
      const answer = await this.query(until).catch(() => undefined);
      if (answer === 't') return this;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The server's log. */
  get output(): string {
    return this.#output;
  }

  /** Waits until the server has exited. */
  async ended(): Promise<void> {
    if (this.#process && this.#process.exitCode === null && this.#process.signalCode === null) {
      await once(this.#process, 'exit');
    }
  }

  async query(sql: string): Promise<string> {
    const args = ['-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql, this.connection];
    const options = { ...user, env: { ...this.#programs.env }, cwd: '/' };
    const { stdout } = await promisify(execFile)(`${this.#programs.folder}/psql`, args, options);
    return stdout.trim();
  }

  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#process;
    if (!server) return;
    server.kill(signal);
    await this.ended();
    this.#process = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop('SIGQUIT');
  }
}
