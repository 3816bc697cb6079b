/**
 * The ids of the cluster's log records: the field `event` of a record, as in the runtime. An id never changes its meaning, messages
 * may be reworded. The reference page of log events is generated from the comments.
 */
export const clusterLogEvents = {
  /** A part of the API server failed unexpectedly. */
  apiServerFailed: 'api-server.failed',
  /** A reader of the storage's changes failed. */
  storageWatcherFailed: 'storage-watcher.failed',
  /** The callback of a timer failed in the API server, a component or a node. */
  timerFailed: 'timer.failed',
  /** A component failed and is restarted: `restartInMs`. */
  componentFailed: 'component.failed',
  /** The token of a component cannot be renewed; the previous one stays in use: `namespace`, `name`. */
  tokenRenewalFailed: 'token.renewal-failed',
  /** A part of the cluster did not stop in time: `part`. */
  clusterStopLate: 'cluster.stop-late',
  /** A part of the cluster failed while it was stopping: `part`. */
  clusterStopFailed: 'cluster.stop-failed',
  /** The last revision cannot be saved, so watches may miss the restart of the cluster. */
  revisionNotSaved: 'revision.not-saved',
  /** The previous port is in use: `port`, `instead`. */
  portTaken: 'port.taken',
  /** The port cannot be saved, so the next start uses a different one: `port`. */
  portNotSaved: 'port.not-saved',
  /** The range of Service addresses cannot be saved, so the next start uses a different one. */
  serviceRangeNotSaved: 'service-range.not-saved',
  /** The folder of volumes is in a folder that pods cannot enter: `path`. */
  volumesUnreachable: 'volumes.unreachable',

  /** A node failed and is restarted: `restartInMs`. */
  nodeFailed: 'node.failed',
  /** Containers of an earlier run were stopped: `count`. */
  containersLeftOver: 'containers.left-over',
  /** The list of running processes cannot be updated. */
  processesNotSaved: 'processes.not-saved',
  /** The path of the temporary folder is too long for sockets: `folder`. */
  temporaryFolderTooLong: 'temporary-folder.too-long',
  /** Pods share one address, because the machine has no others. */
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
  /** The objects of a resource in a terminating namespace cannot be deleted: `resource`. */
  namespaceNotEmptied: 'namespace.not-emptied',
  /** The address of a Service is unavailable (level debug). */
  serviceListenFailed: 'service.listen-failed',
  /** The scheduler cannot evict a pod: `pod`. */
  podEvictionFailed: 'pod.eviction-failed',
  /** The scheduler cannot clear the nominated node of a pod: `pod`. */
  podNominationFailed: 'pod.nomination-failed',
  /** The scheduler cannot update the status of a pod: `pod`. */
  podStatusFailed: 'pod.status-failed',
} as const;
