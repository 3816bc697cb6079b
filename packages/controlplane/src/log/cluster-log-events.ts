/**
 * The ids of the cluster's log records, which records carry in the field `event`, as in the runtime. The meaning of an id never
 * changes; messages may be reworded. The reference page of log events is generated from these comments.
 */
export const clusterLogEvents = {
  /** A part of the API server failed unexpectedly. */
  apiServerFailed: 'api-server.failed',
  /** A subscriber to storage changes failed. */
  storageWatcherFailed: 'storage-watcher.failed',
  /** A timer callback failed in the API server, a component or a node. */
  timerFailed: 'timer.failed',
  /** A component failed and is restarted: `restartInMs`. */
  componentFailed: 'component.failed',
  /** A component's token cannot be renewed; the previous token stays in use: `namespace`, `name`. */
  tokenRenewalFailed: 'token.renewal-failed',
  /** A part of the cluster did not stop in time: `part`. */
  clusterStopLate: 'cluster.stop-late',
  /** A part of the cluster failed while it was stopping: `part`. */
  clusterStopFailed: 'cluster.stop-failed',
  /** The last revision cannot be saved, so clients' watches may not notice that the cluster restarted. */
  revisionNotSaved: 'revision.not-saved',
  /** The previous port is in use, so another one is chosen: `port`, `instead`. */
  portTaken: 'port.taken',
  /** The port cannot be saved, so the next start uses a different one: `port`. */
  portNotSaved: 'port.not-saved',
  /** The range of Service addresses cannot be saved, so the next start uses a different one. */
  serviceRangeNotSaved: 'service-range.not-saved',
  /** The volumes folder is inside a folder that pods cannot access: `path`. */
  volumesUnreachable: 'volumes.unreachable',

  /** A node failed and is restarted: `restartInMs`. */
  nodeFailed: 'node.failed',
  /** Containers left over from an earlier run were stopped: `count`. */
  containersLeftOver: 'containers.left-over',
  /** The list of running processes cannot be updated. */
  processesNotSaved: 'processes.not-saved',
  /** The path of the temporary folder is too long for Unix sockets: `folder`. */
  temporaryFolderTooLong: 'temporary-folder.too-long',
  /** All pods share one IP address, because the machine has no others. */
  addressesShared: 'addresses.shared',
  /** A container's log cannot be written; its lines are dropped: `pod`, `container`. */
  containerLogFailed: 'container-log.failed',
  /** Lines of a container's log were dropped: `pod`, `container`, `lines`. */
  containerLogDropped: 'container-log.dropped',

  /** An Event cannot be written: `reason`, `note`. */
  eventFailed: 'event.failed',
  /** A watch of a built-in controller or a node failed and is retried (level debug). */
  watchFailed: 'watch.failed',
  /** The Terminating condition of a CustomResourceDefinition was rejected. */
  crdConditionRejected: 'crd.condition-rejected',
  /** The requester of a certificate is not authorized (level debug): `permissions`. */
  certificateNotPermitted: 'certificate.not-permitted',
  /** Objects of a resource in a terminating namespace cannot be deleted: `resource`. */
  namespaceNotEmptied: 'namespace.not-emptied',
  /** The node cannot listen on a Service's address (level debug). */
  serviceListenFailed: 'service.listen-failed',
  /** The scheduler cannot evict a pod: `pod`. */
  podEvictionFailed: 'pod.eviction-failed',
  /** The scheduler cannot clear the nominated node of a pod: `pod`. */
  podNominationFailed: 'pod.nomination-failed',
  /** The scheduler cannot update the status of a pod: `pod`. */
  podStatusFailed: 'pod.status-failed',
} as const;
