import type { ChildProcess } from 'node:child_process';
import type { Spawner, SpawnRequest, SpawnResult } from './config-environment.ts';

/**
 * Time to wait for the rest of the output after the program has exited, in milliseconds. A child process can hold the
 * pipe open for longer.
 */
const lastOutputMs = 1_000;

/** Runs programs with `node:child_process`, without a shell, except for `.cmd` and `.bat` files on Windows. */
export const nodeSpawner: Spawner = {
  async run(request: SpawnRequest): Promise<SpawnResult> {
    const { spawn } = await import('node:child_process');
    const { command, args } = commandLine(request);
    // Use a separate process group, so that child processes are killed too. An interactive program must stay in this
    // process's group, which owns the terminal.
    const detached = !request.interactive && process.platform !== 'win32';
    const child = spawn(command, args, {
      env: { ...request.env },
      stdio: [request.interactive ? 'inherit' : 'ignore', 'pipe', request.interactive ? 'inherit' : 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments: command !== request.command,
      detached,
    });
    return follow(child, { request, kill: () => kill(child, detached) });
  },
};

/** Collects the output of a program until it ends or is killed. */
function follow(
  child: ChildProcess,
  { request, kill }: { readonly request: SpawnRequest; readonly kill: () => void },
): Promise<SpawnResult> {
  return new Promise((resolve, reject) => {
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[], size: 0 };
    let grace: NodeJS.Timeout | undefined;
    const release = (): void => {
      clearTimeout(grace);
      request.signal.removeEventListener('abort', stop);
      process.removeListener('exit', kill);
      // Close the pipes without waiting for processes that still hold the other end.
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
    };
    const finish = (exitCode: number | null): void => {
      release();
      resolve({
        exitCode,
        stdout: Buffer.concat(output.stdout).toString('utf8'),
        stderr: Buffer.concat(output.stderr).toString('utf8'),
      });
    };
    const stop = (): void => {
      kill();
      finish(null);
    };
    const collect = (into: Uint8Array[]) => (chunk: Uint8Array) => {
      output.size += chunk.byteLength;
      if (output.size > request.maxOutputBytes) stop();
      else into.push(chunk);
    };
    child.stdout?.on('data', collect(output.stdout));
    child.stderr?.on('data', collect(output.stderr));
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('exit', (exitCode) => {
      // seam: a real process runs in real time
      grace = setTimeout(() => finish(exitCode), lastOutputMs);
    });
    child.once('close', finish);
    process.once('exit', kill);
    request.signal.addEventListener('abort', stop, { once: true });
    if (request.signal.aborted) stop();
  });
}

function kill(child: ChildProcess, group: boolean): void {
  if (!group || child.pid === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // ESRCH: the whole group has ended.
  }
}

/** Returns the command to start. Node cannot start batch files directly: they need cmd.exe and its quoting rules. */
function commandLine(request: SpawnRequest): { readonly command: string; readonly args: readonly string[] } {
  if (process.platform !== 'win32' || !/\.(cmd|bat)$/i.test(request.command)) return request;
  const quoted = [request.command, ...request.args].map((part) => `"${part.replace(/["%^&|<>!]/g, '')}"`).join(' ');
  return { command: request.env['ComSpec'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${quoted}"`] };
}
