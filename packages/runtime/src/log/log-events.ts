/**
 * The ids of the runtime's log records: the field `event` of a record. An id never changes its meaning, whereas
 * messages may be reworded, so alerting rules, tests and programs match on the id. The reference page of log events is
 * generated from these comments.
 */
export const logEvents = {
  /** The manager found its configuration: `source`, `server`. */
  configLoaded: 'config.loaded',
  /** Client credentials could not be renewed; the previous credentials stay in use. */
  credentialsRenewalFailed: 'credentials.renewal-failed',
  /** The API server sent a warning with a response. */
  apiServerWarning: 'api-server.warning',
  /** The API server is unreachable; caches keep their contents. */
  apiServerUnreachable: 'api-server.unreachable',
  /** The API server responds again. */
  apiServerReachable: 'api-server.reachable',

  /** A signal stops the manager. */
  managerStopping: 'manager.stopping',
  /** An error occurred while the manager was stopping. */
  managerStopFailed: 'manager.stop-failed',
  /** The manager waits for runnables to stop. */
  runnablesStopping: 'runnables.stopping',
  /** Runnables did not stop in time. */
  runnablesLate: 'runnables.late',
  /** A runnable starts while its earlier run, which ignores its signal, is still active. */
  runnableOverlapping: 'runnable.overlapping',
  /** A runnable failed after it was stopped. */
  runnableStopFailed: 'runnable.stop-failed',
  /** Permissions that the program needs or has used; read by `kubewright rbac`. */
  permissionsReported: 'permissions.reported',
  /** Two controllers of one kind conflict. */
  controllersConflict: 'controllers.conflict',
  /** The event loop was blocked. */
  eventLoopBlocked: 'event-loop.blocked',
  /** The watchdog thread stopped. */
  watchdogStopped: 'watchdog.stopped',

  /** The lease was acquired. */
  leaseAcquired: 'lease.acquired',
  /** The lease was lost. */
  leaseLost: 'lease.lost',
  /** The lease cannot be acquired or renewed. */
  leaseFailed: 'lease.failed',
  /** A first attempt to renew the lease failed. */
  leaseRenewalRetried: 'lease.renewal-retried',
  /** The lease could not be released on shutdown; it expires. */
  leaseReleaseFailed: 'lease.release-failed',
  /** A replica cannot renew its membership. */
  membershipFailed: 'membership.failed',
  /** The keys of a sharded controller cannot be listed. */
  keysListFailed: 'keys.list-failed',
  /** A running reconcile delays the handover of its key to another replica. */
  keyHandoverDelayed: 'key.handover-delayed',
  /** A delayed handover of a key is complete. */
  keyHandoverDone: 'key.handover-done',

  /** The manager waits for the first lists of some kinds. */
  cacheSyncing: 'cache.syncing',
  /** A cache could not be warmed up before leadership. */
  cacheWarmUpFailed: 'cache.warm-up-failed',
  /** A transform function failed; the object is cached unchanged. */
  transformFailed: 'transform.failed',
  /** An index function failed. */
  indexFailed: 'index.failed',
  /** A list or watch failed and is retried. */
  watchFailed: 'watch.failed',
  /** The server does not support streaming lists; the reflector lists instead. */
  watchListUnsupported: 'watch.list-unsupported',
  /** A watch sent an event of an unknown type. */
  watchEventSkipped: 'watch.event-skipped',
  /** The newest resource version could not be read. */
  watchProbeFailed: 'watch.probe-failed',
  /** The server returned an older state than before, for example after a restore. */
  watchRegressed: 'watch.regressed',
  /** The server rejects a resource version that it returned. */
  watchVersionRejected: 'watch.version-rejected',
  /** A watch lags behind the server and is reopened, or the kind is listed again. */
  watchLagging: 'watch.lagging',

  /** A controller has started its workers and is running. */
  controllerStarted: 'controller.started',
  /** The workers of a controller have finished. */
  controllerStopped: 'controller.stopped',
  /** A controller waits for kinds that are not installed. */
  controllerWaiting: 'controller.waiting',
  /** Running reconciles did not end in time. */
  controllerLate: 'controller.late',
  /** The manager waits for running reconciles to end. */
  reconcilesStopping: 'reconciles.stopping',
  /** A rate limiter failed; a failed key is retried after a second. */
  rateLimiterFailed: 'rate-limiter.failed',
  /** An unexpected error in a worker, outside a reconcile; the key is retried after a second. */
  workerFailed: 'worker.failed',
  /** An event handler failed. */
  handlerFailed: 'handler.failed',
  /** A predicate failed; the event is accepted. */
  predicateFailed: 'predicate.failed',
  /** An event handler requested an invalid delay; the key is queued immediately. */
  delayInvalid: 'delay.invalid',
  /** Keys that this replica took over could not be found. */
  gainedKeysFailed: 'gained-keys.failed',
  /** A source of events failed. */
  sourceFailed: 'source.failed',

  /** A reconcile ended: its causes, writes and duration (level debug); `failed` is true if the reconcile failed. */
  reconcileEnded: 'reconcile.ended',
  /** A reconcile failed: `error`, and `code`, `what`, `why`, `remedy` if the error has them. */
  reconcileFailed: 'reconcile.failed',
  /** A reconcile keeps failing with the same error (only in human-readable logs). */
  reconcileStillFailing: 'reconcile.still-failing',
  /** A reconcile succeeded after failures (only in human-readable logs). */
  reconcileRecovered: 'reconcile.recovered',
  /** A reconcile was aborted because the manager is stopping. */
  reconcileAborted: 'reconcile.aborted',
  /** A write conflicted with another writer; the reconcile is retried. */
  reconcileConflict: 'reconcile.conflict',
  /** A write was rejected because the reconcile had seen a stale object; the reconcile is retried. */
  reconcileStale: 'reconcile.stale',
  /** The key now belongs to another replica. */
  reconcileMoved: 'reconcile.moved',
  /** A reconcile runs for a long time. */
  reconcileSlow: 'reconcile.slow',
  /** A slow reconcile ended. */
  reconcileSlowEnded: 'reconcile.slow-ended',
  /** A write was sent without checking the live object, because `get` is not allowed. */
  writeUnchecked: 'write.unchecked',
  /** Writes that have no effect or trigger each other: `code` KW3050, KW3051 or KW3052. */
  writesFutile: 'writes.futile',

  /** A child was created. */
  childCreated: 'child.created',
  /** A child that is no longer desired was deleted. */
  childDeleted: 'child.deleted',
  /** A child changed before it could be deleted; the child is read again. */
  childChanged: 'child.changed',
  /** Children are deleted before their owner. */
  childrenDeleting: 'children.deleting',
  /** The phase in the status changed. */
  phaseChanged: 'phase.changed',
  /** A status field is omitted because the CustomResourceDefinition does not declare it. */
  statusFieldOmitted: 'status.field-omitted',

  /** An Event could not be recorded because it has no object. */
  eventUnrelated: 'event.unrelated',
  /** The queue of Events is full; Events are dropped. */
  eventsDropped: 'events.dropped',
  /** An Event could not be written. */
  eventFailed: 'event.failed',

  /** The metrics server is listening. */
  metricsServing: 'metrics.serving',
  /** A client of the metrics endpoint could not be authenticated or authorized. */
  metricsAccessFailed: 'metrics.access-failed',
  /** Traces are exported. */
  tracingStarted: 'tracing.started',
  /** Traces are not exported because the OpenTelemetry SDK cannot be loaded. */
  tracingUnavailable: 'tracing.unavailable',

  /** A webhook was registered: `path`. */
  webhookRegistered: 'webhook.registered',
  /** The webhook server is starting. */
  webhookServerStarting: 'webhook-server.starting',
  /** The webhook server is listening. */
  webhookServerServing: 'webhook-server.serving',
  /** The webhook server is disabled. */
  webhookServerDisabled: 'webhook-server.disabled',
  /** A webhook received a request (level debug). */
  webhookRequested: 'webhook.requested',
  /** A webhook responded: `allowed`, `operation`, `webhook` (level debug). */
  webhookResponded: 'webhook.responded',
  /** A webhook received an invalid request. */
  webhookRequestInvalid: 'webhook.request-invalid',
  /** A request to a webhook failed. */
  webhookFailed: 'webhook.failed',
  /** The function of a webhook threw an unexpected error. */
  webhookPanicked: 'webhook.panicked',
  /** A conversion failed. */
  conversionFailed: 'conversion.failed',

  /** Certificate files are watched. */
  certificateWatching: 'certificate.watching',
  /** The serving certificate was renewed. */
  certificateUpdated: 'certificate.updated',
  /** A certificate cannot be read or renewed; the previous certificate stays in use. */
  certificateFailed: 'certificate.failed',
  /** The Secret with the webhook certificates was written. */
  authorityUpdated: 'authority.updated',
  /** The CA bundle was written to webhook configurations. */
  authorityInjected: 'authority.injected',
  /** Webhook configurations or CustomResourceDefinitions are missing, so the API server does not call the webhooks yet. */
  authorityTargetsMissing: 'authority.targets-missing',
  /** The CA for client certificates was reloaded. */
  clientAuthorityUpdated: 'client-authority.updated',
  /** The CA for client certificates cannot be read; the previous CA stays in use. */
  clientAuthorityFailed: 'client-authority.failed',
} as const;

/**
 * Value of the `event` field in the runtime's log records: a stable id for alerting rules and log processors.
 *
 * @example
 * ```ts
 * const failed: LogEventId = 'reconcile.failed';
 * const failures = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === failed);
 * ```
 */
export type LogEventId = (typeof logEvents)[keyof typeof logEvents];
