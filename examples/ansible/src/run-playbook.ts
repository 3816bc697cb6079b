import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Child } from '@kubewright/runtime';
import type { TaskCounts } from './watches.ts';

/** The outcome of a playbook. */
export interface PlaybookResult extends TaskCounts {
  /** One message per failed task. */
  readonly messages: readonly string[];
  /** The objects that the playbook wants. */
  readonly children: readonly Child[];
}

/** Runs a playbook on this machine, with the configuration in its folder. */
export async function runPlaybook(
  playbook: string,
  { variables, signal }: { readonly variables: unknown; readonly signal: AbortSignal },
): Promise<PlaybookResult> {
  const home = await mkdtemp(join(tmpdir(), 'playbook-'));
  try {
    const settings = { ANSIBLE_CONFIG: join(dirname(playbook), 'ansible.cfg'), ANSIBLE_HOME: home, LC_ALL: 'C.UTF-8' };
    const extra = join(home, 'variables.json');
    await writeFile(extra, JSON.stringify(variables));
    const env = { ...process.env, ...settings };
    const child = spawn('ansible-playbook', [playbook, '--extra-vars', `@${extra}`], { env, signal });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const report = output.split('\n').find((line) => line.startsWith('{'));
    if (report === undefined) throw new Error(`ansible-playbook ran nothing: ${errors.trim()}`);
    return JSON.parse(report) as PlaybookResult;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
