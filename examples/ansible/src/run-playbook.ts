import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Child } from '@kubewright/runtime';
import type { TaskCounts } from './watches.ts';

/** The message if the program is not installed. */
export const missingProgram = `ansible-playbook is not on the PATH; install ansible-core 2.19 or newer: \
https://docs.ansible.com/ansible/latest/installation_guide/`;

/** The message for a playbook that does not list its desired objects, for example because its hosts match nothing. */
const noChildren =
  'the playbook did not set the statistic `children` to a list; set `children` with ansible.builtin.set_stats, to [] if no objects are desired';

/** The outcome of a playbook that succeeded. */
export interface PlaybookResult {
  readonly counts: TaskCounts;
  /** The desired objects. */
  readonly children: readonly Child[];
}

/** Thrown if a playbook fails; the message has a line per failed task, or says why nothing ran. */
export class PlaybookError extends Error {
  /** Undefined if nothing ran. */
  readonly counts: TaskCounts | undefined;
  constructor(message: string, { counts, ...options }: ErrorOptions & { readonly counts?: TaskCounts } = {}) {
    super(message, options);
    this.counts = counts;
  }
}

const proxies = ['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]);
/**
 * The only environment variables of the operator that playbooks see. Other variables may contain credentials, or give
 * access to the cluster.
 */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TZ', ...proxies];

/**
 * Runs a playbook on this machine, with the configuration in its folder.
 *
 * @throws PlaybookError if a task fails, a host is unreachable, nothing runs, or no task lists the playbook's desired
 * objects.
 */
export async function runPlaybook(
  playbook: string,
  { variables, signal }: { readonly variables: unknown; readonly signal: AbortSignal },
): Promise<PlaybookResult> {
  const home = await mkdtemp(join(tmpdir(), 'playbook-'));
  try {
    const settings = { ANSIBLE_CONFIG: join(dirname(playbook), 'ansible.cfg'), ANSIBLE_HOME: home, LC_ALL: 'C.UTF-8' };
    const extra = join(home, 'variables.json');
    await writeFile(extra, JSON.stringify(variables));
    const own = Object.fromEntries(inherited.map((name) => [name, process.env[name]]));
    // Hides the kubeconfig in the home folder.
    const env = { ...own, ...settings, KUBECONFIG: devNull };
    const child = spawn('ansible-playbook', [playbook, '--extra-vars', `@${extra}`], { env, signal });
    const ended = once(child, 'close').catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'ENOENT' ? new PlaybookError(missingProgram, { cause }) : cause;
    });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    const report = output.split('\n').find((line) => line.startsWith('{'));
    if (report === undefined) throw new PlaybookError(`ansible-playbook ran no tasks: ${errors.trim()}`);
    const { children, messages, ...counts } = JSON.parse(report) as Report;
    if (code !== 0 || counts.failures > 0 || counts.unreachable > 0) {
      const ending = `ansible-playbook exited with code ${code}: ${errors.trim()}`;
      throw new PlaybookError(messages.length > 0 ? messages.join('\n') : ending, { counts });
    }
    // Without a list, objects of earlier runs may still be desired.
    if (!Array.isArray(children)) throw new PlaybookError(noChildren, { counts });
    return { counts, children };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The output of the callback plugin. */
interface Report extends TaskCounts {
  /** One message per task that failed without a rescue, and per unreachable host. */
  readonly messages: readonly string[];
  /** Null if no task has set it. */
  readonly children: readonly Child[] | null;
}
