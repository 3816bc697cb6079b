import type { Spawner, SpawnRequest, SpawnResult } from './config-environment.ts';

/** Runs programs with `node:child_process`, never through a shell, but for Windows' `.cmd` and `.bat` files. */
export const nodeSpawner: Spawner = {
  async run(request: SpawnRequest): Promise<SpawnResult> {
    const { spawn } = await import('node:child_process');
    return new Promise((resolve, reject) => {
      const { command, args } = commandLine(request);
      const child = spawn(command, args, {
        env: { ...request.env },
        stdio: [request.interactive ? 'inherit' : 'ignore', 'pipe', request.interactive ? 'inherit' : 'pipe'],
        windowsHide: true,
        windowsVerbatimArguments: command !== request.command,
      });
      const kill = (): void => void child.kill('SIGKILL');
      const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[], size: 0 };
      const collect = (into: Uint8Array[]) => (chunk: Uint8Array) => {
        output.size += chunk.byteLength;
        if (output.size > request.maxOutputBytes) kill();
        else into.push(chunk);
      };
      child.stdout?.on('data', collect(output.stdout));
      child.stderr?.on('data', collect(output.stderr));
      request.signal.addEventListener('abort', kill, { once: true });
      if (request.signal.aborted) kill();
      const done = (): void => request.signal.removeEventListener('abort', kill);
      child.once('error', (error) => {
        done();
        reject(error);
      });
      child.once('close', (exitCode) => {
        done();
        resolve({
          exitCode,
          stdout: Buffer.concat(output.stdout).toString('utf8'),
          stderr: Buffer.concat(output.stderr).toString('utf8'),
        });
      });
    });
  },
};

/** Node refuses to start batch files directly; they need the interpreter, and its quoting. */
function commandLine(request: SpawnRequest): { readonly command: string; readonly args: readonly string[] } {
  if (process.platform !== 'win32' || !/\.(cmd|bat)$/i.test(request.command)) return request;
  const quoted = [request.command, ...request.args].map((part) => `"${part.replace(/["%^&|<>!]/g, '')}"`).join(' ');
  return { command: request.env['ComSpec'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${quoted}"`] };
}
