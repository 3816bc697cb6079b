import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import type { Child, CliEnvironment, SpawnOptions } from './cli-environment.ts';
import { terminalKeys } from './terminal-keys.ts';

/** Signals that stop the program. */
const stopSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Returns the environment of this process and starts listening for signals.
 *
 * @example
 * ```ts
 * const environment = cliEnvironment();
 * process.exitCode = await runCli({ ...environment, args: ['doctor', ...environment.args] });
 * ```
 */
export function cliEnvironment(): CliEnvironment {
  const { env, stdin, stdout, stderr, platform } = process;
  const stop = new AbortController();
  let interruptedBy = 0;
  for (const name of stopSignals) {
    process.on(name, () => {
      interruptedBy ||= 128 + constants.signals[name];
      stop.abort(new Error(`stopped by ${name}`));
    });
  }
  // If the output is closed, the program stops as after Ctrl-C. If the log cannot be written because the disk is full,
  // a background cluster keeps running.
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'ENOSPC' && code !== 'EDQUOT') stop.abort(new Error('the output was closed'));
  });
  // A failed report must not stop the program.
  stderr.on('error', () => undefined);
  const interactive = stdin.isTTY === true && stdout.isTTY === true && !env['CI'];
  return {
    args: process.argv.slice(2),
    program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    env,
    cwd: process.cwd(),
    homeDirectory: homedir() || undefined,
    platform,
    nodeVersion: process.version,
    stdout,
    stderr,
    interactive,
    keys: interactive ? (onKey) => terminalKeys(stdin, onKey) : undefined,
    colors: stdout.isTTY === true && !env['NO_COLOR'],
    clock: systemClock,
    random: systemRandom,
    signal: stop.signal,
    interruptedBy: () => interruptedBy,
    reportUncaught,
    spawn: spawnChild,
    kill,
  };
}

function reportUncaught(report: (error: unknown) => void): void {
  // Also receives unhandled rejections.
  process.on('uncaughtException', report);
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process has already exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Resolves when all output has been flushed. */
export async function drain(): Promise<void> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
}

function spawnChild([command = '', ...args]: readonly string[], options: SpawnOptions): Child {
  const { cwd, env, onOutput, onErrorOutput, logFile, detached = false, input = false, shielded = false } = options;
  const log = logFile === undefined ? undefined : openSync(logFile, 'a', 0o600);
  const output = log ?? (onOutput ? 'pipe' : 'inherit');
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...env },
      // `detached` starts the process in a new session without the terminal.
      detached: detached || shielded,
      stdio: [input ? 'pipe' : 'ignore', output, onErrorOutput ? 'pipe' : output],
      windowsHide: true,
    });
    if (detached) child.unref();
    child.stdout?.setEncoding('utf8').on('data', onOutput ?? (() => {}));
    child.stderr?.setEncoding('utf8').on('data', onErrorOutput ?? onOutput ?? (() => {}));
    // The process may have exited in the meantime.
    child.stdin?.on('error', () => undefined);
    return {
      pid: child.pid,
      ended: endOf(child),
      kill: (signal) => void child.kill(signal),
      write: (text) => void child.stdin?.write(text),
    };
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
