import { describe, expect, it } from 'vitest';
import { cliEnvironment } from './program/process-environment.ts';
import { runCli } from './run-cli.ts';

/** Runs a command line in this process; returns its exit code and error output. */
async function run(...args: readonly string[]): Promise<{ readonly exitCode: number; readonly text: string }> {
  let text = '';
  const stderr = { write: (more: string) => (text += more) };
  const environment = { ...cliEnvironment(), args, stderr, stdout: stderr, colors: false };
  return { exitCode: await runCli(environment), text };
}

const usage = 'kubewright create api --group GROUP --version VERSION --kind KIND';

describe('runCli', () => {
  it('reports all missing options together', async () => {
    expect(await run('create', 'api', '--version', 'v1')).toEqual({
      exitCode: 2,
      text: `KW7001 invalid command line
  why: --group and --kind are missing
  fix: run ${usage}; for all options: kubewright create api --help
`,
    });
  });

  it('reports unexpected arguments with the missing options', async () => {
    const { text } = await run('create', 'api', 'shop', 'v1', '--kind', 'Shop');
    expect(text).toContain('why: --group and --version are missing; unexpected arguments "shop" and "v1"\n');
    expect(text).toContain(`fix: run ${usage};`);
  });

  it.each([
    ['generate', 'src'],
    ['build', 'dist'],
    ['dev', 'src/main.ts'],
    ['create', 'webhook', '--group', 'a', '--version', 'v1', '--kind', 'A', 'Shop'],
    ['cluster', 'up', 'mine'],
  ])('rejects an argument that %s does not take', async (...line) => {
    const { exitCode, text } = await run(...line);
    expect(exitCode).toBe(2);
    expect(text).toContain(`why: unexpected argument "${line.at(-1)}"\n  fix: remove it, or pass an option instead;`);
  });
});
