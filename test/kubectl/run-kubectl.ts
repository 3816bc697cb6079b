import { spawn, spawnSync } from 'node:child_process';
import type { Step } from './matrix.ts';

/** The output and exit code of a command. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Options for a command. */
export interface KubectlOptions {
  readonly kubeconfig: string;
  /** HOME of kubectl, which holds its discovery cache. */
  readonly home: string;
  /** The folder that relative manifest paths refer to. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the minor version of the kubectl on the PATH, or undefined if there is no kubectl. */
export function kubectlMinor(): number | undefined {
  const { stdout, status } = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const { clientVersion } = JSON.parse(stdout) as { readonly clientVersion?: { readonly minor?: string } };
  return Number.parseInt(clientVersion?.minor ?? '', 10);
}

/** Runs one command of the matrix. */
export function runKubectl(step: Step, options: KubectlOptions): Promise<Outcome> {
  const { kubeconfig, home, folder, signal } = options;
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    KUBECONFIG: kubeconfig,
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    EDITOR: step.editor ?? 'false',
    KUBECTL_EXTERNAL_DIFF: 'diff -u -N',
    TMPDIR: home,
  };
  return new Promise((resolve, reject) => {
    const child = spawn('kubectl', words(step.command), { cwd: folder, env, ...(signal ? { signal } : {}) });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('utf8');
      resolve({ stdout: text(stdout), stderr: text(stderr), exitCode: code ?? -1 });
    });
    child.stdin.end(step.stdin ?? '');
  });
}

/** Splits a command line like a shell, but only supports quotes. */
function words(command: string): readonly string[] {
  const found = command.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g);
  return [...found].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, (_all, single, double) => single ?? double));
}
