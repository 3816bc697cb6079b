import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runPlaybook } from './run-playbook.ts';

// A playbook takes seconds, and much longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const plugins = new URL('../callback_plugins', import.meta.url).pathname;
// With KUBEWRIGHT_REQUIRE_ALL=1, the test fails if the program is missing.
const maySkip = process.env['KUBEWRIGHT_REQUIRE_ALL'] !== '1';
const isMissing = maySkip && spawnSync('ansible-playbook', ['--version']).status !== 0;

describe.skipIf(isMissing)('runPlaybook (needs ansible-playbook: node scripts/fixtures/ansible.mjs)', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'playbooks-'));
    const settings = `[defaults]\ncallback_plugins = ${plugins}\nstdout_callback = report\nlocalhost_warning = false\n`;
    await writeFile(join(folder, 'ansible.cfg'), settings);
  });
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs a playbook of one play. */
  const run = async (play: object) => {
    const path = join(folder, 'playbook.yml');
    await writeFile(path, JSON.stringify([{ hosts: 'localhost', gather_facts: false, ...play }]));
    return runPlaybook(path, { variables: {}, signal: AbortSignal.timeout(100_000) });
  };
  const want = (children: unknown) => ({ 'ansible.builtin.set_stats': { data: { children } } });
  const fail = (msg: string) => ({ name: 'Stop', 'ansible.builtin.fail': { msg } });

  it('reports a success if a failed task was rescued', async () => {
    const tasks = [{ block: [fail('broken')], rescue: [{ 'ansible.builtin.debug': { msg: 'handled' } }] }];
    const { counts } = await run({ tasks: [...tasks, want([])] });
    expect(counts).toMatchObject({ failures: 0, unreachable: 0 });
  });

  it.each<[string, object]>([
    ['is for no host', { hosts: 'web', tasks: [want([])] }],
    ['skips the task that sets `children`', { tasks: [{ ...want([]), when: false }] }],
  ])('reports a playbook that %s as a failure, so that nothing is deleted', async (_, play) => {
    await expect(run(play)).rejects.toThrow(/^the playbook did not set the statistic `children` to a list; /);
  });

  it('does not blame a rescued task for the failure of another one', async () => {
    const block = { block: [fail('broken')], rescue: [{ 'ansible.builtin.debug': { msg: 'handled' } }] };
    await expect(run({ tasks: [block, fail('really broken')] })).rejects.toMatchObject({
      message: 'Stop: really broken',
    });
  });

  it('names the task that failed in a rescue', async () => {
    const block = { block: [fail('broken')], rescue: [fail('beyond rescue')] };
    await expect(run({ tasks: [block] })).rejects.toMatchObject({ message: 'Stop: beyond rescue' });
  });

  it('reports an unreachable host as a failure', async () => {
    const vars = { ansible_connection: 'ssh', ansible_host: '127.0.0.1', ansible_port: 9 };
    const tasks = [{ name: 'Reach', 'ansible.builtin.ping': {} }];
    const failure = { message: expect.stringMatching(/^Reach: /), counts: { failures: 0, unreachable: 1 } };
    await expect(run({ vars, tasks })).rejects.toMatchObject(failure);
  });

  it('reports a playbook that cannot be loaded', async () => {
    await expect(run({ tasks: [{ 'no.such.module': {} }] })).rejects.toThrow(
      /^ansible-playbook ran no tasks: .*no.such.module/s,
    );
  });

  it('hides the cluster and the other variables of the operator, except proxies', async () => {
    vi.stubEnv('KUBECONFIG', '/secret/kubeconfig');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1');
    vi.stubEnv('PASSWORD', 'secret');
    vi.stubEnv('https_proxy', 'http://proxy');
    const names = ['KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'PASSWORD', 'https_proxy'];
    const children = `{{ [${names.map((name) => `lookup('ansible.builtin.env', '${name}')`)}] }}`;
    expect((await run({ tasks: [want(children)] })).children).toEqual(['/dev/null', '', '', 'http://proxy']);
  });
});
