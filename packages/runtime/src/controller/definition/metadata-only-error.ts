import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when declaring a controller whose reconcile would receive objects without spec and status. */
export class MetadataOnlyError extends KubewrightError {
  override readonly name = 'MetadataOnlyError';
  /** Fix the program; the cluster is not at fault. */
  readonly code = 'KW3042';

  constructor(kind: string) {
    super({
      what: `cannot declare a controller of ${kind} with "metadataOnly" in "cached"`,
      why: 'its reconcile would receive objects without spec and status, and an apply would delete both',
      remedy: `remove "metadataOnly" (use "fields" to keep a part of each object), or declare a requestController with watch(${kind}, enqueueForObject(), { metadataOnly: true })`,
    });
  }
}
