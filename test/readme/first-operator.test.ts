import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { firstOperator, programOfTheReadme } from './readme-blocks.ts';

const strictly = ['--strict', '--module', 'nodenext', '--target', 'es2022', 'main.ts'];

describe('the operator in one file', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-first-'));
  const folder = join(base, 'echo-operator');
  const { files, commands } = firstOperator();

  beforeAll(async () => {
    await build();
    mkdirSync(join(base, 'kubewright'));
    symlinkSync(join(repository, 'packages'), join(base, 'kubewright', 'packages'));
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    // Works offline, because the packages are links.
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  }, 120_000);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it('matches the program in the README', () => {
    expect(Object.keys(files)).toEqual(['package.json', 'main.ts', 'crd.yaml']);
    expect(files['main.ts']).toBe(programOfTheReadme());
  });

  it.each(['typescript', 'typescript-7'])(
    'compiles strictly with %s, including the declarations of the packages',
    (name) => {
      const compiler = join(repository, 'node_modules', name, 'bin', 'tsc');
      const flags = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--outDir', 'compiled', 'main.ts'];
      expect(compile(compiler, flags, folder)).toBe('');
    },
    60_000,
  );

  it.skipIf(isMissing('kubectl'))(
    'works as the page shows',
    async () => {
      const directory = join(base, 'kubewright', '.kubewright');
      await using _cluster = await EmbeddedCluster.start({
        directory,
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
      });
      const kubeconfig = join(directory, 'kubeconfig');
      const type = (line: string) => shell(line, { cwd: folder, kubeconfig });
      const compiler = join(repository, 'node_modules', 'typescript-7', 'bin', 'tsc');
      expect(compile(compiler, [...strictly, '--outDir', 'compiled'], folder)).toBe('');
      let operator: ChildProcess | undefined;
      try {
        for (const { line, sees } of commands) {
          if (/^(mkdir|cd|npm|export) /.test(line)) continue;
          if (line === 'npx tsx main.ts') operator = run(folder, kubeconfig);
          else if (sees === undefined) expect(await type(line), line).toMatchObject({ status: 0 });
          else await untilSeen(() => type(line), { line, sees });
        }
        expect(operator?.exitCode).toBeNull();
        operator?.kill('SIGINT');
        expect(await once(operator as ChildProcess, 'exit')).toEqual([0, null]);
      } finally {
        operator?.kill('SIGKILL');
      }
    },
    120_000,
  );
});

/** Returns the compiler's errors. */
function compile(compiler: string, flags: readonly string[], cwd: string): string {
  try {
    return execFileSync(process.execPath, [compiler, ...flags], { cwd, encoding: 'utf8' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

/**
 * Runs the operator as `node main.ts` if Node supports it, otherwise the compiled file, because tsx is not installed in
 * this project.
 */
function run(cwd: string, kubeconfig: string): ChildProcess {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const file = major >= 24 || (major === 22 && minor >= 18) ? 'main.ts' : join('compiled', 'main.js');
  return spawn(process.execPath, [file], {
    cwd,
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: 'ignore',
  });
}

/** The result of a command line. */
interface Typed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line without blocking the cluster, which runs in this process. */
function shell(line: string, options: { readonly cwd: string; readonly kubeconfig: string }): Promise<Typed> {
  const env = { ...process.env, KUBECONFIG: options.kubeconfig };
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', line], { cwd: options.cwd, env, timeout: 30_000 }, (_error, stdout, stderr) => {
      resolve({ status: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

/**
 * Runs a line until it prints the expected output, because a controller needs a moment. Lines that change something run only
 * once.
 */
async function untilSeen(
  type: () => Promise<Typed>,
  { line, sees }: { readonly line: string; readonly sees: string },
): Promise<void> {
  const attempts = line.startsWith('kubectl get ') ? 100 : 1;
  for (let attempt = 1; ; attempt++) {
    const { status, stdout, stderr } = await type();
    const seen = status === 0 && (sees === '' ? stdout === '' : stdout.includes(sees));
    if (seen) return;
    if (attempt === attempts) throw new Error(`${line}\nprinted ${stdout}${stderr}\ninstead of ${sees}`);
  }
}
