import type { KubernetesObject } from '@kubewright/apimachinery';
import type { WatchRepresentation } from './watch-request.ts';

/** Options of {@link plainRepresentation}. */
export interface PlainRepresentationOptions {
  readonly apiVersion: string;
  readonly kind: string;
  /** Makes the served object from the stored one; absent when the stored bytes are served as they are. */
  readonly convert?: ((object: KubernetesObject) => KubernetesObject) | undefined;
  /** Told apart from another conversion to the same version (a CRD that has changed). @defaultValue '' */
  readonly revision?: string | undefined;
}

/** Objects as they are: the JSON of one version. */
export function plainRepresentation(options: PlainRepresentationOptions): WatchRepresentation {
  const { apiVersion, kind, convert, revision = '' } = options;
  return {
    id: `json ${apiVersion} ${kind} ${revision}`,
    encode: convert ? (item) => Buffer.from(JSON.stringify(convert(item.object))) : (item) => item.bytes,
    bookmark: (resourceVersion, annotations) =>
      Buffer.from(
        JSON.stringify({ kind, apiVersion, metadata: { resourceVersion, ...(annotations ? { annotations } : {}) } }),
      ),
  };
}
