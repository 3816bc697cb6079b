import type { KubernetesObject } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { withRevision } from '../storage/index.ts';
import type { WatchRepresentation } from './watch-request.ts';

/** Options for {@link plainRepresentation}. */
export interface PlainRepresentationOptions {
  readonly apiVersion: string;
  readonly kind: string;
  /** Converts the stored object to the served version; absent if no conversion is needed. */
  readonly convert?: ((object: KubernetesObject) => KubernetesObject) | undefined;
  /** Distinguishes this conversion from an earlier conversion to the same version, when a CRD changes. @defaultValue '' */
  readonly revision?: string | undefined;
}

/** Represents objects as the plain JSON of one version. */
export function plainRepresentation(options: PlainRepresentationOptions): WatchRepresentation {
  const { apiVersion, kind, convert, revision = '' } = options;
  return {
    id: `json ${apiVersion} ${kind} ${revision}`,
    encode: convert ? (item) => Buffer.from(stringifyJson(convert(item.object))) : withRevision,
    bookmark: (resourceVersion, { annotations }) =>
      Buffer.from(
        JSON.stringify({ kind, apiVersion, metadata: { resourceVersion, ...(annotations ? { annotations } : {}) } }),
      ),
  };
}
