import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Numbers of tasks. */
export interface TaskCounts {
  readonly ok: number;
  readonly changed: number;
  readonly skipped: number;
  readonly failures: number;
}

/** The outcome of a playbook. */
export interface PlaybookResult extends TaskCounts {
  /** One message per failed task. */
  readonly messages: readonly string[];
}

/**
 * Runs a playbook on this machine.
 *
 * @param variables - content of a JSON file.
 * @param server - address of the API server, without credentials.
 */
export async function runPlaybook(
  playbook: string,
  { variables, server, signal }: { readonly variables: string; readonly server: string; readonly signal: AbortSignal },
): Promise<PlaybookResult> {
  const folder = await mkdtemp(join(tmpdir(), 'playbook-'));
  try {
    const [kubeconfig, extra] = [join(folder, 'kubeconfig'), join(folder, 'variables.json')];
    const context = { name: 'proxy', context: { cluster: 'proxy', user: '' } };
    const clusters = [{ name: 'proxy', cluster: { server } }];
    const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'proxy', clusters, contexts: [context] };
    await writeFile(kubeconfig, JSON.stringify(config));
    await writeFile(extra, variables);
    const env = {
      ...process.env,
      KUBECONFIG: kubeconfig,
      LC_ALL: 'C.UTF-8',
      ANSIBLE_HOME: folder,
      ANSIBLE_CALLBACK_PLUGINS: join(dirname(playbook), '..', 'callback_plugins'),
      ANSIBLE_STDOUT_CALLBACK: 'report',
      ANSIBLE_LOCALHOST_WARNING: 'False',
      ANSIBLE_INVENTORY_UNPARSED_WARNING: 'False',
    };
    const child = spawn('ansible-playbook', [playbook, '--extra-vars', `@${extra}`], { env, signal });
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve, reject) => child.once('close', resolve).once('error', reject)),
    ]);
    const report = output.split('\n').find((line) => line.startsWith('{'));
    if (report === undefined) throw new Error(`ansible-playbook ran nothing: ${errors.trim()}`);
    return JSON.parse(report) as PlaybookResult;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
