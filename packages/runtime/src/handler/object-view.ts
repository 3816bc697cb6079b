import type { ObjectKey, OwnerReference, Stored } from '@kubewright/apimachinery';

/**
 * A view of a cached object that shows its metadata without decoding it. Only {@link ObjectView.object} decodes the whole object
 * (through a bounded cache) and returns a frozen value.
 *
 * @example
 * ```ts
 * const isProtected = ({ annotations, deletionTimestamp }: ObjectView<Pod>): boolean =>
 *   annotations['example.com/protected'] === 'true' && deletionTimestamp === undefined;
 * ```
 */
export interface ObjectView<T> {
  readonly key: ObjectKey;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The object's generation; 0 if the kind has no generation. */
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly OwnerReference[];
  readonly deletionTimestamp: string | undefined;
  /** The whole object, frozen; decoded on first read. */
  readonly object: Stored<T>;
}
