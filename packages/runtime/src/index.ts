// Preserved in the emitted declarations, which use Node's types, so consumers do not need to list them in `types`.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export type { Cache, PartialObjectMetadata } from './cache/cache.ts';
export { type CachedKind, cached, type IndexFunc } from './cache/cached-kind.ts';
export type { Lister } from './cache/lister.ts';
export { certificateFiles } from './certificates/certificate-files.ts';
export type { CertificateSource } from './certificates/certificate-source.ts';
export { ownAuthority } from './certificates/own-authority.ts';
export { selfSigned } from './certificates/self-signed.ts';
export { Cluster } from './cluster/cluster.ts';
export type { ControllerDefinition } from './controller/definition/controller-definition.ts';
export { controller, requestController } from './controller/definition/define-controller.ts';
export { timer } from './controller/definition/timer.ts';
export { ReconcileTimeoutError } from './controller/pipeline/limit-time.ts';
export { childrenFirst } from './desired/children-first.ts';
export { activateIf, after, type Child, type DesiredState } from './desired/desired-state.ts';
export type { Finalizer } from './desired/finalizer.ts';
export { objectState } from './desired/object-state.ts';
export { addFinalizers, hasFinalizer, removeFinalizer } from './finalizer/finalizers.ts';
export { managerFlags, managerFlagsUsage } from './flags/manager-flags.ts';
export { enqueueForObject, enqueueForOwner, enqueueMapped } from './handler/enqueue.ts';
export type { EventHandler, ReconcileRequest } from './handler/event-handler.ts';
export { withPriority } from './handler/event-priority.ts';
export type { CreateEvent, DeleteEvent, GenericEvent, UpdateEvent } from './handler/events.ts';
export { handlerFuncs } from './handler/handler-funcs.ts';
export type { ObjectView } from './handler/object-view.ts';
export type { HealthCheck } from './health/checks-handler.ts';
export {
  type AggregatedResource,
  type ClusterCustomResource,
  type CustomResource,
  type DefinedKind,
  defineKind,
} from './kind/define-kind.ts';
export { LeaderElector } from './leader-election/leader-elector.ts';
export { jsonLogger } from './log/json-logger.ts';
export type { LogEventId } from './log/log-events.ts';
export type { Logger, LogLevel } from './log/logger.ts';
export { prettyLogger } from './log/pretty-logger.ts';
export { silentLogger } from './log/silent-logger.ts';
export type { AddedController } from './manager/added-controller.ts';
export { Manager } from './manager/manager.ts';
export type { ManagerOptions } from './manager/manager-options.ts';
export type { Predicate } from './predicate/predicates.ts';
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  labelsMatch,
  not,
  objectMatches,
  or,
  predicateFuncs,
  resourceVersionChanged,
} from './predicate/predicates.ts';
export { runOperator } from './program/run-operator.ts';
export type { Observed } from './reconcile/observed-children.ts';
export type {
  ReconcileContext,
  ReconcileOutcome,
  ReconcileResult,
  Reconciler,
  RequestContext,
} from './reconcile/reconcile.ts';
export { TerminalError } from './reconcile/terminal-error.ts';
export type { EventRecorder } from './recorder/event-recorder.ts';
export type { Runnable } from './runnable/runnable.ts';
export { ShardMembership } from './sharding/shard-membership.ts';
export { sharded } from './sharding/sharded.ts';
export { channelSource, enqueueRequest } from './source/channel-source.ts';
export { EventChannel } from './source/event-channel.ts';
export { kindSource } from './source/kind-source.ts';
export { pollSource } from './source/poll-source.ts';
export { type PolledResources, polledResources } from './source/polled-resources.ts';
export { type Source, type Watch, watch } from './source/source.ts';
export type { Tracer } from './tracing/tracer.ts';
export type { AdmissionContext, UpdateContext } from './webhook/admission-context.ts';
export { type AdmissionRequest, type AdmissionResponse, allowed, denied, patched } from './webhook/admission-review.ts';
export { admissionWebhook } from './webhook/admission-webhook.ts';
export { authenticationWebhook } from './webhook/authentication-webhook.ts';
export { converter, type Spoke, spoke } from './webhook/converter.ts';
export { defaulter } from './webhook/defaulter.ts';
export { standaloneWebhooks } from './webhook/standalone-webhooks.ts';
export { type ValidationResult, validator } from './webhook/validator.ts';
export { webhookConfigurations } from './webhook/webhook-configurations.ts';
export type {
  AdmissionWebhook,
  AuthenticationWebhook,
  ConversionWebhook,
  WebhookDefinition,
} from './webhook/webhook-definition.ts';
export { bucketRateLimiter, maxOfRateLimiter } from './workqueue/bucket-rate-limiter.ts';
export { exponentialRateLimiter, type RateLimiter } from './workqueue/rate-limiter.ts';
export { WorkQueue } from './workqueue/work-queue.ts';
