import type { Pod } from '@kubewright/apimachinery/core/v1';
import { quote } from '@kubewright/apimachinery/internal';

/** Addresses shown in a pod's downward API fields. */
export interface PodPlace {
  readonly podIP: string;
  readonly hostIP: string;
}

/**
 * Returns a field of a pod as the downward API shows it: `metadata.name`, `metadata.labels['app']`, `status.podIP`, …
 *
 * @returns `undefined` for a path that the downward API does not support.
 */
export function podFieldValue(pod: Pod, fieldPath: string, place: PodPlace): string | undefined {
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath);
  const { metadata } = pod;
  if (keyed) {
    const map = keyed[1] === 'labels' ? metadata.labels : metadata.annotations;
    const key = keyed[2] ?? '';
    return map && Object.hasOwn(map, key) ? map[key] : '';
  }
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return formatMap(metadata.labels);
    case 'metadata.annotations':
      return formatMap(metadata.annotations);
    case 'spec.nodeName':
      return pod.spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.podIP':
    case 'status.podIPs':
      return place.podIP;
    case 'status.hostIP':
    case 'status.hostIPs':
      return place.hostIP;
    default:
      return undefined;
  }
}

/** Formats labels or annotations as in a downward API file: one `key="value"` per line, sorted. */
function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort()
    .join('\n');
}
