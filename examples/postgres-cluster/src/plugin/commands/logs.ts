import { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodLogOptions } from '@kubewright/client';
import { clusterLabel } from '../../instance/protocol.ts';
import { type Command, type Flags, type Session, textFlag } from '../command.ts';
import { findCluster } from '../find-cluster.ts';
import { linesOf } from '../lines.ts';
import { PluginError } from '../plugin-error.ts';

export const logs: Command = {
  summary: 'Prints the logs of all instances, or of one. Each line starts with the name of the instance.',
  args: ['CLUSTER', '[INSTANCE]'],
  flags: {
    follow: { type: 'boolean', short: 'f', text: 'keep printing new lines' },
    previous: { type: 'boolean', short: 'p', text: 'print the logs of the containers before their last restart' },
    tail: { type: 'string', value: 'LINES', text: 'print only the last LINES lines of each instance' },
  },
  async run({ args: [name = '', only], flags }, session) {
    await findCluster(name, session);
    const pods = (await instancePods(name, session)).filter((pod) => only === undefined || pod === only);
    if (pods.length === 0)
      throw new PluginError(
        only === undefined ? `the cluster ${name} has no pods` : `the cluster ${name} has no pod ${only}`,
      );
    const options = logOptions(flags);
    const endings = await Promise.allSettled(
      pods.map(async (pod) => {
        for await (const line of podLines(pod, { session, options })) session.print(`[${pod}] ${line}\n`);
      }),
    );
    session.signal.throwIfAborted();
    // Reported last, after the logs of the other pods have been printed.
    const failures = endings.flatMap((ending, index) =>
      ending.status === 'rejected' ? [`${pods[index]}: ${ending.reason?.message ?? ending.reason}`] : [],
    );
    if (failures.length > 0) throw new PluginError(`cannot read the logs of ${failures.join('; ')}`);
    return undefined;
  },
};

/** Returns the names of the pods of a cluster's instances. */
async function instancePods(cluster: string, { client, namespace, signal }: Session): Promise<readonly string[]> {
  const labelSelector = `${clusterLabel}=${cluster}`;
  const { items } = await client.resource(Pod).list({ namespace, labelSelector, signal });
  return items.map(({ metadata }) => metadata.name).sort();
}

/** Yields the lines of an instance's log. */
export async function* podLines(
  name: string,
  { session, options }: { readonly session: Session; readonly options: PodLogOptions },
): AsyncGenerator<string> {
  const { client, namespace, signal } = session;
  const { body } = await client.pods.logs({ namespace, name }, { ...options, container: 'postgresql', signal });
  yield* linesOf(body);
}

function logOptions(flags: Flags): PodLogOptions {
  const tail = textFlag(flags, 'tail');
  if (tail !== undefined && !/^\d+$/.test(tail))
    throw new PluginError(`--tail must be a number of lines, got ${tail}`, { exitCode: 2 });
  return {
    follow: flags['follow'] === true,
    previous: flags['previous'] === true,
    ...(tail !== undefined && { tailLines: Number(tail) }),
  };
}
