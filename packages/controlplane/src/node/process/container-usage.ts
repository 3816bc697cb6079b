import type { Clock } from '@kubewright/apimachinery';
import type { Usage, UsedContainer } from '../driver.ts';
import { ProcessContainer } from './process-container.ts';
import { processUsages } from './process-usage.ts';

/** Returns the usage of the containers that are processes, by container ID. */
export async function containerUsages(
  containers: readonly UsedContainer[],
  clock: Clock,
): Promise<ReadonlyMap<string, Usage>> {
  const ids = new Map<number, string>();
  for (const { running } of containers) {
    if (running instanceof ProcessContainer) ids.set(running.pid, running.containerId);
  }
  const usages = await processUsages([...ids.keys()]);
  const atMs = clock.now();
  return new Map([...usages].map(([pid, usage]) => [ids.get(pid) ?? '', { ...usage, atMs }]));
}
