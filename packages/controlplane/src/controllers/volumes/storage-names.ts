/** The annotations that Kubernetes sets on volumes, claims and storage classes. */
export const storageNames = {
  /** On a claim: its binding is complete. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On a volume or claim: it was bound by the binder, not by a user. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On a volume: the provisioner that created it. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On a claim: the node that the scheduler chose for its volume. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On a claim: the provisioner that should create its volume. */
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  betaProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** On a volume or claim: the storage class. Predates the field `storageClassName`. */
  betaClass: 'volume.beta.kubernetes.io/storage-class',
  defaultClass: 'storageclass.kubernetes.io/is-default-class',
  betaDefaultClass: 'storageclass.beta.kubernetes.io/is-default-class',
} as const;
