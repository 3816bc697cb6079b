import type { Clock, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../../cache/informer-cache.ts';
import type { KindResolver } from '../../discovery/kind-resolver.ts';
import type { Logger } from '../../log/logger.ts';
import type { RuntimeMetrics } from '../../metrics/runtime-metrics.ts';
import type { EventRecorder } from '../../recorder/event-recorder.ts';
import type { ReconcileTracing } from '../../tracing/reconcile-tracing.ts';
import type { Activity } from '../../watchdog/activity.ts';

/** The parts of the manager that a controller uses. */
export interface ControllerParts {
  readonly cache: InformerCache;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly kinds: KindResolver;
  readonly activity?: Activity | undefined;
  /** Creates the recorder of a reconcile; its events are about `regarding` unless they name another object. */
  readonly recorder: (controller: string, regarding: KubernetesObject | undefined) => EventRecorder;
  readonly metrics?: RuntimeMetrics | undefined;
  readonly tracing?: Pick<ReconcileTracing, 'reconcile'> | undefined;
  /** Called on a programming error in a controller that does not recover from programming errors. */
  readonly panicked?: ((error: unknown) => void) | undefined;
  /** Called when a controller fails to start after the other controllers have started. */
  readonly failed?: ((error: unknown) => void) | undefined;
}
