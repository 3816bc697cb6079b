/** Thrown when declaring a controller whose reconcile would receive objects without spec and status. */
export class MetadataOnlyError extends Error {
  /** Fix the program; the cluster is not at fault. */
  readonly code = 'KW3042';

  constructor(kind: string) {
    super(
      `cannot declare a controller of ${kind} with "metadataOnly" in "cached": its reconcile would see no spec and no status, and an apply of what it sees would take them for gone; leave "metadataOnly" out (with "fields" a part of each object is kept), or declare a requestController that watches the kind with it: watch(${kind}, enqueueForObject(), { metadataOnly: true })`,
    );
    this.name = 'MetadataOnlyError';
  }
}
