// Preserved in the emitted declarations, which use Node's types, so consumers do not need to list them in `types`.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export type { Cache, PartialObjectMetadata } from './cache/cache.ts';
export {
  CacheInUseError,
  KindNotCachedError,
  KindNotServedError,
  OutsideCacheScopeError,
  UnknownIndexError,
} from './cache/cache-errors.ts';
export { type CachedKind, type CacheSelectors, cached, type IndexFunc } from './cache/cached-kind.ts';
export type { CacheListOptions, Lister } from './cache/lister.ts';
export type { ReadOptions } from './cache/split-reads.ts';
export type { AuthorityLifetimes } from './certificates/authority-lifetimes.ts';
export { CertificateError } from './certificates/certificate-error.ts';
export { type CertificateFilesOptions, certificateFiles } from './certificates/certificate-files.ts';
export type { CertificateMetrics, CertificateParts, CertificateSource } from './certificates/certificate-source.ts';
export { type OwnAuthorityOptions, ownAuthority } from './certificates/own-authority.ts';
export { type SelfSignedOptions, selfSigned } from './certificates/self-signed.ts';
export { Cluster, type ClusterOptions } from './cluster/cluster.ts';
export type {
  ControllerDefinition,
  ControllerOptions,
  ControllerSettings,
  RequestControllerOptions,
} from './controller/definition/controller-definition.ts';
export { controller, requestController } from './controller/definition/define-controller.ts';
export { MetadataOnlyError } from './controller/definition/metadata-only-error.ts';
export {
  type KeyShare,
  NotOwnerError,
  type Partition,
  type PartitionEntry,
  type ShardedOptions,
} from './controller/definition/partition.ts';
export { ReconcileTimeoutError } from './controller/pipeline/reconcile-timeout-error.ts';
export { childrenFirst } from './desired/children-first.ts';
export { after, type Child, type DesiredState, type OrderedChild } from './desired/desired-state.ts';
export { type ObjectReadiness, type ObjectState, objectState } from './desired/object-state.ts';
export { UnknownKindError } from './discovery/unknown-kind-error.ts';
export { StaleViewError } from './fencing/write-fence.ts';
export { addFinalizers, type FinalizerPatchOptions, hasFinalizer, removeFinalizer } from './finalizer/finalizers.ts';
export * from './flags/index.ts';
export * from './handler/index.ts';
export { BindError } from './health/bind-error.ts';
export type { HealthCheck } from './health/health-check.ts';
export type { PathHandler } from './health/probe-server.ts';
export * from './kind/index.ts';
export { LeaderElectionError } from './leader-election/leader-election-error.ts';
export type { LeaderElectionOptions } from './leader-election/leader-election-options.ts';
export { LeaderElector, type LeaderElectorOptions } from './leader-election/leader-elector.ts';
export { type JsonLoggerOptions, jsonLogger, type LogDestination } from './log/json-logger.ts';
export type { LogEventId } from './log/log-events.ts';
export type { LogFields, Logger, LogLevel } from './log/logger.ts';
export { type PrettyLoggerOptions, prettyLogger } from './log/pretty-logger.ts';
export { silentLogger } from './log/silent-logger.ts';
export type { ControllerDefaults } from './manager/controller-defaults.ts';
export { Manager } from './manager/manager.ts';
export { ManagerError } from './manager/manager-error.ts';
export type { ManagerOptions } from './manager/manager-options.ts';
export type { ShardingOptions } from './manager/manager-sharding.ts';
export type { MetricsSecurity } from './metrics/metrics-security.ts';
export type { PermissionReport, Permissions } from './permissions/permission-report.ts';
export * from './predicate/index.ts';
export { type ProgramSurroundings, runOperator } from './program/run-operator.ts';
export { NoStatusSubresourceError } from './reconcile/no-status-subresource-error.ts';
export type { Observed } from './reconcile/observed-children.ts';
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
} from './reconcile/reconcile.ts';
export { TerminalError } from './reconcile/terminal-error.ts';
export { UndeclaredStatusFieldError } from './reconcile/undeclared-status-field-error.ts';
export type { EventNote, EventRecorder } from './recorder/event-recorder.ts';
export type { Runnable, RunnableContext } from './runnable/runnable.ts';
export { ShardMembership, type ShardMembershipOptions } from './sharding/shard-membership.ts';
export { sharded, UnlistedKeysError } from './sharding/sharded.ts';
export {
  type ChannelSourceOptions,
  channelSource,
  enqueueRequest,
} from './source/channel-source.ts';
export { EventChannel } from './source/event-channel.ts';
export { kindSource, type WatchedCluster } from './source/kind-source.ts';
export { type PollSourceOptions, pollSource } from './source/poll-source.ts';
export { type Source, type SourceStart, type Watch, type WatchSourceOptions, watch } from './source/source.ts';
export type { Span, SpanAttributes, Tracer } from './tracing/tracer.ts';
export * from './webhook/index.ts';
export { type ExponentialOptions, exponentialRateLimiter, type RateLimiter } from './workqueue/rate-limiter.ts';
export type { TimedKey, TimerSlot } from './workqueue/waiting-keys.ts';
export {
  type AddOptions,
  type PendingWork,
  type WorkItem,
  WorkQueue,
  type WorkQueueMetrics,
  type WorkQueueOptions,
} from './workqueue/work-queue.ts';
