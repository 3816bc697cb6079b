import type { Clock } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { Permissions } from '../permissions/permission-report.ts';
import type { ApiEventRecorder } from '../recorder/api-event-recorder.ts';
import type { ManagerLifecycle } from './manager-lifecycle.ts';

/** Stops the parts of a manager one after the other; continues with the next part if a part fails to stop. */
export async function stopInOrder(
  lifecycle: ManagerLifecycle,
  steps: readonly (() => Promise<void> | undefined)[],
): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      lifecycle.stopFailed(error);
    }
  }
}

/** Sends pending events, for at most a second. */
export async function flushEvents(recorder: ApiEventRecorder, clock: Clock): Promise<void> {
  const flush = new AbortController();
  using _limit = clock.setTimer(1_000, () => flush.abort());
  await recorder.stop(flush.signal);
}

/** Logs the permissions, for tools that compare them with granted permissions. */
export async function logPermissions({ rules, used }: Permissions, log: Logger): Promise<void> {
  log.debug('permissions', { event: logEvents.permissionsReported, needed: rules, used });
}
