import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { version } from '../../packages/cli/src/program/version.ts';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine } from './command-line.ts';

// Each command is a process, and kubectl plugins start a second one.
vi.setConfig({ testTimeout: 60_000 });

describe('kubewright', () => {
  let kubewright: CommandLine;
  beforeAll(async () => {
    kubewright = await CommandLine.build();
  });
  afterAll(() => kubewright?.[Symbol.dispose]());

  it('lists its commands and the flags of each command', async () => {
    const { code, stdout } = await kubewright.run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: kubewright [options] [command]');
    for (const name of ['doctor', 'explain', 'completion', 'version']) expect(stdout).toContain(`\n  ${name}`);
    expect((await kubewright.run([])).stdout).toBe(stdout);
    expect((await kubewright.run(['doctor', '--help'])).stdout).toContain('--kubeconfig <FILE>');
  });

  it('prints the version of its package', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8'));
    expect(version).toBe(manifest.version);
    expect(await kubewright.run(['version', '--json'])).toEqual({
      code: 0,
      stdout: `{"kubewright":"${version}","node":"${process.version}","kubernetes":"1.36"}\n`,
      stderr: '',
    });
  });

  it('rejects an invalid command line with exit code 2', async () => {
    expect(await kubewright.run(['doctr'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `KW7001 invalid command line
  why: unknown command 'doctr' (Did you mean doctor?)
  fix: run kubewright --help
`,
    });
    expect((await kubewright.run(['cluster'])).stderr).toContain(
      '  why: kubewright cluster needs a subcommand\n  fix: run kubewright cluster --help\n',
    );
    const { code, stdout } = await kubewright.run(['doctor', '--wat', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'KW7001',
        what: 'invalid command line',
        why: "unknown option '--wat'",
        remedy: 'run kubewright doctor --help',
      },
    });
  });

  it('explains error codes of every package', async () => {
    expect(await kubewright.run(['explain', 'kw2002'])).toEqual({
      code: 0,
      stdout: `KW2002  TLS handshake failed: the server certificate is not trusted, or the client certificate was rejected

Source: TransportError of @kubewright/client
`,
      stderr: '',
    });
    const { stdout } = await kubewright.run(['explain']);
    for (const code of ['KW1001', 'KW2201', 'KW3032', 'KW5101', 'KW7001']) expect(stdout).toContain(`${code}  `);
    expect(await kubewright.run(['explain', 'KW9999'])).toMatchObject({
      code: 1,
      stderr: `KW7003 unknown error code KW9999
  why: this version has no such code; codes consist of KW and four digits
  fix: list all codes: kubewright explain
`,
    });
  });

  it('completes commands in bash', async () => {
    const { stdout } = await kubewright.run(['completion', 'bash']);
    const complete = (line: string): string => {
      const words = line.split(' ');
      const program = `source /dev/stdin <<'EOF'\n${stdout}\nEOF\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}; _kubewright; echo "\${COMPREPLY[*]}"`;
      return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim();
    };
    expect(complete('kubewright ex')).toBe('explain');
    expect(complete('kubewright doctor --k')).toBe('--kubeconfig');
    expect(complete('kubewright completion ')).toBe('bash zsh fish --json --help');
    for (const shell of ['zsh', 'fish'])
      expect((await kubewright.run(['completion', shell])).stdout).toContain('doctor');
    expect((await kubewright.run(['completion', 'tcsh'])).code).toBe(2);
  });

  it.skipIf(isMissing('kubectl'))('is a plugin that kubectl lists, runs and completes', async () => {
    await build();
    const folder = join(kubewright.folder, 'bin');
    mkdirSync(folder);
    // Links the programs as npm does on installation.
    const package_ = join(repository, 'packages/cli');
    const { bin } = JSON.parse(readFileSync(join(package_, 'package.json'), 'utf8')) as { readonly bin: object };
    for (const [name, path] of Object.entries(bin)) symlinkSync(join(package_, path), join(folder, name));
    // If npm runs the tests, PATH contains folders with programs of the same names.
    const others = (process.env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
    const PATH = [folder, dirname(process.execPath), ...others].join(delimiter);
    const env = { ...process.env, PATH, HOME: folder };
    const kubectl = (...args: readonly string[]) =>
      execFileSync('kubectl', args, {
        env,
        cwd: kubewright.folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    expect(kubectl('plugin', 'list').split('\n')).toContain(join(folder, 'kubectl-kubewright'));
    expect(kubectl('kubewright', 'doctor', '--help')).toMatch(/^Usage: kubectl kubewright doctor /);
    const complete = (...line: readonly string[]) =>
      kubectl('__complete', 'kubewright', ...line)
        .trim()
        .split('\n');
    expect(complete('ex')).toEqual(['explain', ':4']);
    expect(complete('doctor', '--k')).toEqual(['--kubeconfig', ':4']);
    expect(complete('cluster', 'up', '--dr')).toEqual(['--driver', ':4']);
    expect(complete('create', '')).toEqual(expect.arrayContaining(['api', 'webhook', ':4']));
    // None of our completions match, so the shell completes files.
    expect(complete('render', 'config/sam')).toEqual([':0']);
  });

  it('reports on the environment', async () => {
    const { code, stdout } = await kubewright.run(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toContain(`✓ node         ${process.version}\n`);
    expect(stdout).toContain('✓ port         can listen on 127.0.0.1\n');
    expect(stdout).toContain(`✓ folder       ${kubewright.folder} is writable\n`);
    expect(stdout).toContain('- kubeconfig   no cluster is configured: ');
    expect(stdout).toContain(
      '- project      no project in this folder\n               fix: run kubewright init to create a project\n',
    );
  });

  it('exits with code 3 if the named cluster does not answer', async () => {
    const missing = await kubewright.run(['doctor', '--kubeconfig', 'nowhere']);
    expect(missing.code).toBe(3);
    expect(missing.stdout).toContain('✗ kubeconfig   cannot read kubeconfig nowhere: file not found\n');
    const file = join(kubewright.folder, 'dead');
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:9' } }],
        users: [{ name: 'a', user: {} }],
      }),
    );
    const { stdout } = await kubewright.run(['doctor'], { env: { KUBECONFIG: file } });
    expect(stdout).toMatch(
      /✗ kubeconfig {3}.*127\.0\.0\.1:9.*ECONNREFUSED.*\n +fix: check that the cluster is running and that the kubeconfig contains its address\n/,
    );
  });
});

describe('the entry point', () => {
  it('rejects an outdated Node before it loads anything', () => {
    const source = readFileSync(new URL('../../packages/cli/src/main.ts', import.meta.url), 'utf8');
    expect(source).not.toMatch(/^import /m);
    const old = source.replace('process.versions.node', "'18.20.4'").replace('process.version}', "'v18.20.4'}");
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', old.replace(/^#!.*/, '')], {
      encoding: 'utf8',
    });
    expect(status).toBe(3);
    expect(stderr).toBe(`KW7010 Kubewright does not run on Node.js v18.20.4
  why: Kubewright requires Node.js ^20.19, ^22.12 or >=24
  fix: install a newer version of Node.js from https://nodejs.org
`);
  });
});
