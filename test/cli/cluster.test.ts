import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine } from './command-line.ts';

let kubewright: CommandLine;
beforeAll(async () => {
  kubewright = await CommandLine.build();
});
afterAll(() => kubewright?.[Symbol.dispose]());

function folder(name: string): string {
  const path = join(kubewright.folder, name);
  mkdirSync(path);
  return path;
}

describe('kubewright cluster up', () => {
  it('runs in the foreground until stopped', async () => {
    const cwd = folder('foreground');
    const up = kubewright.start(['cluster', 'up'], { cwd });
    await expect.poll(up.stdout, { timeout: 30_000 }).toContain('Press Ctrl-C to stop the cluster.\n');
    const kubeconfig = join(cwd, '.kubewright', 'kubeconfig');
    expect(up.stdout()).toContain(`export KUBECONFIG='${kubeconfig}'\n`);
    if (!isMissing('kubectl')) {
      const nodes = execFileSync('kubectl', ['--kubeconfig', kubeconfig, 'get', 'nodes', '-o', 'name']).toString();
      expect(nodes).toBe('node/kubewright\n');
    }
    const second = await kubewright.run(['cluster', 'up'], { cwd });
    expect(second.code).toBe(3);
    expect(second.stderr).toMatch(/^KW5502 a cluster is already running in .* \(pid \d+\)\n {2}why: .*\n {2}fix: /);
    up.child.kill('SIGINT');
    expect(await up.ended).toBe(0);
    expect(up.stdout()).toMatch(/✓ cluster stopped\n$/);
    expect(up.stderr()).toBe('');
    expect(await kubewright.run(['cluster', 'status'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: `KW7201 no embedded cluster is running in this folder
  why: no running cluster has locked the state folder ${join(cwd, '.kubewright')}
  fix: start a cluster: kubewright cluster up --background
`,
    });
  }, 60_000);

  it('starts the requested number of nodes, simulated or not', async () => {
    const cwd = folder('nodes');
    const flags = ['--nodes', '3', '--driver', 'simulated'];
    expect(await kubewright.run(['cluster', 'up', '--background', ...flags], { cwd })).toMatchObject({ code: 0 });
    try {
      const nodes = async () =>
        JSON.parse((await kubewright.run(['cluster', 'status', '--json'], { cwd })).stdout).cluster.nodes;
      await expect.poll(nodes, { timeout: 30_000 }).toEqual(['kubewright', 'kubewright-2', 'kubewright-3']);
    } finally {
      await kubewright.run(['cluster', 'down'], { cwd });
    }
    const wrong = await kubewright.run(['cluster', 'up', '--nodes', '0'], { cwd });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('It must be a number from 1 to 100.') });
  }, 60_000);

  it('saves and restores the objects of a stopped cluster', async () => {
    const cwd = folder('snapshots');
    const run = (...args: readonly string[]) => kubewright.run(['cluster', ...args], { cwd });
    const data = ['--data', 'objects'];
    try {
      expect(await run('up', '--background', '--components', 'apiserver', ...data)).toMatchObject({ code: 0 });
      const running = await run('snapshot', 'saved', ...data);
      expect(running).toMatchObject({ code: 1, stdout: '' });
      expect(running.stderr).toMatch(
        /^KW5012 cannot open the object store in .*objects\n {2}why: another process uses this store\n/,
      );
    } finally {
      await run('down');
    }
    const saved = await run('snapshot', 'saved', ...data);
    expect(saved).toMatchObject({ code: 0, stderr: '' });
    expect(saved.stdout).toMatch(/^✓ snapshot saved {7}.*\/saved \(\d+ objects\)\n$/);
    const restored = await run('restore', 'saved', '--data', 'other');
    expect(restored.stdout).toBe(saved.stdout.replace('saved       ', 'restored    ').replace(/\/saved /, '/other '));
    const { objects, revision } = JSON.parse((await run('restore', 'saved', '--json', ...data)).stdout).restored;
    expect([objects > 50, revision > 1]).toEqual([true, true]);
    expect(await run('restore', 'missing', ...data)).toMatchObject({
      stderr: `KW5506 cannot read the snapshot ${join(cwd, 'missing')}\n  why: the file does not exist\n  fix: use another snapshot file\n`,
    });
    expect((await run('snapshot', 'saved')).stderr).toContain('why: --data is missing\n');
  }, 60_000);

  it('runs named clusters besides that of the folder, as a file configures them', async () => {
    const cwd = folder('named');
    writeFileSync(join(cwd, 'cluster.yaml'), 'nodes: 2\ndriver: simulated\ncomponents: ["*", "-job-controller"]\n');
    const run = (...args: readonly string[]) => kubewright.run(['cluster', ...args], { cwd });
    const list = async () =>
      JSON.parse((await run('list', '--json')).stdout).clusters.map(
        ({ name, running }: { readonly name: string | null; readonly running: boolean }) => [name, running],
      );
    expect(await list()).toEqual([]);
    try {
      expect(await run('up', '--background', '--components', 'apiserver')).toMatchObject({ code: 0 });
      const named = ['--name', 'two', '--config', 'cluster.yaml'];
      expect(await run('up', '--background', ...named)).toMatchObject({ code: 0, stderr: '' });
      expect(await list()).toEqual([
        [null, true],
        ['two', true],
      ]);
      const status = async (...flags: readonly string[]) =>
        JSON.parse((await run('status', '--json', ...flags)).stdout).cluster.nodes;
      await expect.poll(() => status('--name', 'two'), { timeout: 30_000 }).toEqual(['kubewright', 'kubewright-2']);
      expect(await status()).toEqual([]);
      const path = (await run('kubeconfig', '--name', 'two')).stdout.trim();
      expect(path).toBe(join(cwd, '.kubewright', 'clusters', 'two', 'kubeconfig'));
      expect((await run('delete')).code).toBe(0);
      expect(await list()).toEqual([['two', true]]);
    } finally {
      await run('delete');
      await run('delete', '--name', 'two');
    }
    expect(await list()).toEqual([]);
    const missing = await run('status', '--name', 'two');
    expect(missing.stderr).toContain('no embedded cluster two is running in this folder');
    const wrong = await run('up', '--name', '../up');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('It must consist of lower-case letters') });
  }, 60_000);

  it('runs in the background in two folders at a time, until cluster down', async () => {
    const [one, two] = [folder('one'), folder('two')];
    const file = join(one, 'a kubeconfig');
    try {
      const up = await kubewright.run(['cluster', 'up', '--background', '--kubeconfig', file], { cwd: one });
      expect(up).toMatchObject({ code: 0, stderr: '' });
      expect(up.stdout).toContain(`export KUBECONFIG='${file}'`);
      const other = await kubewright.run(['cluster', 'up', '--background', '--json'], { cwd: two });
      const { cluster } = JSON.parse(other.stdout);
      expect(up.stdout).not.toContain(cluster.url);
      const again = await kubewright.run(['cluster', 'up', '--background', '--json'], { cwd: two });
      expect(again.stdout).toBe(other.stdout);
      const status = await kubewright.run(['cluster', 'status'], { cwd: two });
      expect(
        status.stdout
          .replace(cluster.url, 'URL')
          .replace(cluster.pid, 'PID')
          .replace(two, '')
          .replace(/\d of \d running/, 'N of N running'),
      ).toBe(
        `cluster     URL (pid PID)
kubernetes  v1.36.3+kubewright
nodes       kubewright
pods        N of N running
kubeconfig  /.kubewright/kubeconfig
`,
      );
      const printed = await kubewright.run(['cluster', 'kubeconfig', '--raw'], { cwd: one });
      expect(printed.stdout).toBe(readFileSync(file, 'utf8'));
    } finally {
      for (const cwd of [one, two]) {
        const { stdout, code } = await kubewright.run(['cluster', 'down'], { cwd });
        expect({ stdout, code }).toEqual({ stdout: '✓ cluster stopped\n', code: 0 });
      }
    }
    expect((await kubewright.run(['cluster', 'down'], { cwd: one })).stdout).toBe('✓ no cluster was running\n');
    await kubewright.run(['cluster', 'delete'], { cwd: one });
    expect(existsSync(join(one, '.kubewright'))).toBe(false);
  }, 60_000);

  it.each([[[]], [['--background']]])('reports that the port is in use (%j)', async (flags) => {
    const cwd = folder(`busy${flags.length}`);
    const server = createServer().listen(0, '127.0.0.1');
    await expect.poll(() => server.listening).toBe(true);
    const { port } = server.address() as { readonly port: number };
    const { code, stderr } = await kubewright.run(['cluster', 'up', '--port', String(port), ...flags], { cwd });
    server.close();
    expect(code).toBe(3);
    expect(stderr).toContain(`the API server cannot listen on 127.0.0.1:${port}`);
    expect(stderr).toContain('another process is using this port');
    expect(stderr).toContain('\n  fix: stop the other process, or use another port (0 selects a free port)\n');
  });

  it('does not overwrite the kubeconfig of another cluster, and validates ports', async () => {
    const cwd = folder('theirs');
    const text = 'clusters: [{ name: production, cluster: {} }]\n';
    writeFileSync(join(cwd, 'config'), text);
    const { code, stderr } = await kubewright.run(['cluster', 'up', '--kubeconfig', 'config'], { cwd });
    expect({ code, line: stderr.split('\n')[0] }).toEqual({
      code: 1,
      line: `KW7204 cannot write the kubeconfig to ${join(cwd, 'config')}`,
    });
    expect(readFileSync(join(cwd, 'config'), 'utf8')).toBe(text);
    const port = await kubewright.run(['cluster', 'up', '--port', '99999'], { cwd });
    expect({ code: port.code, stderr: port.stderr }).toEqual({
      code: 2,
      stderr: `KW7001 invalid command line
  why: option '--port <PORT>' argument '99999' is invalid. It must be a number from 0 to 65535.
  fix: run kubewright cluster up --help
`,
    });
  });
});
