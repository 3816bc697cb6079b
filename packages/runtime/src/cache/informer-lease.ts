import type { KubernetesObject } from '@kubewright/apimachinery';
import type { Informer } from './informer.ts';

/** The use of an informer by one declaration; several declarations may share the informer. */
export interface InformerLease {
  readonly informer: Informer<KubernetesObject>;
  /** Uses the informer until `signal` is aborted, then ends the lease; rejects if the informer fails. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}
