// Kept in the declarations, which name Node's types: whoever compiles against them need not list these.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export type { Cache } from './cache/cache.ts';
export { type CachedKind, cached, type IndexFunc } from './cache/cached-kind.ts';
export { KindNotCachedError } from './cache/informer-cache.ts';
export type { CacheListOptions, Lister } from './cache/lister.ts';
export { UnknownIndexError } from './cache/store-lister.ts';
export type {
  ControllerDefinition,
  ControllerOptions,
  ControllerSettings,
  RequestControllerOptions,
} from './controller/controller-definition.ts';
export { controller, requestController } from './controller/define-controller.ts';
export type {
  ApplyObjectsOptions,
  DeleteObjectOptions,
  Finalizer,
  ReconcileContext,
  ReconcileOutcome,
  ReconcileResult,
  Reconciler,
  RequestContext,
  SetStatusOptions,
  StatusOf,
} from './controller/reconcile.ts';
export { ReconcileTimeoutError } from './controller/reconcile-timeout.ts';
export { TerminalError } from './controller/terminal-error.ts';
export { UnknownKindError } from './controller/unknown-kind-error.ts';
export { StaleViewError } from './controller/write-fence.ts';
export { addFinalizers, type FinalizerPatchOptions, hasFinalizer, removeFinalizer } from './finalizer/finalizers.ts';
export * from './handler/index.ts';
export { BindError } from './health/bind-error.ts';
export type { HealthCheck } from './health/health-check.ts';
export * from './kind/index.ts';
export type { LeaderElectionOptions } from './leader-election/leader-election-options.ts';
export { LeaderElectionError, LeaderElector, type LeaderElectorOptions } from './leader-election/leader-elector.ts';
export { type JsonLoggerOptions, jsonLogger, type LogDestination } from './log/json-logger.ts';
export type { LogFields, Logger, LogLevel } from './log/logger.ts';
export { type PrettyLoggerOptions, prettyLogger } from './log/pretty-logger.ts';
export { silentLogger } from './log/silent-logger.ts';
export type { ControllerDefaults } from './manager/controller-defaults.ts';
export { Manager } from './manager/manager.ts';
export { ManagerError } from './manager/manager-error.ts';
export type { ManagerOptions } from './manager/manager-options.ts';
export type { Runnable } from './manager/runnable.ts';
export * from './predicate/index.ts';
export type { EventNote, EventRecorder } from './recorder/event-recorder.ts';
export { type Source, type Watch, type WatchSourceOptions, watch } from './source/source.ts';
export { type ExponentialOptions, exponentialRateLimiter, type RateLimiter } from './workqueue/rate-limiter.ts';
export {
  type AddOptions,
  type WorkItem,
  WorkQueue,
  type WorkQueueMetrics,
  type WorkQueueOptions,
} from './workqueue/work-queue.ts';
