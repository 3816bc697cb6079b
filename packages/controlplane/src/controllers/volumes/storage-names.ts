/** Annotations and finalizers of volumes and claims, by Kubernetes' names. */
export const storageNames = {
  /** On a claim that has been bound. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On a volume or claim that the binder, not a user, bound. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On a volume: the provisioner that created it. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On a claim: the node for which the scheduler wants a volume. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On a claim: the provisioner that should create its volume. */
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  betaProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** The storage class of a volume or claim before it was a field. */
  betaClass: 'volume.beta.kubernetes.io/storage-class',
  defaultClass: 'storageclass.kubernetes.io/is-default-class',
  betaDefaultClass: 'storageclass.beta.kubernetes.io/is-default-class',
} as const;
