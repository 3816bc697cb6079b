import type { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import type { IndexFunc } from '@kubewright/runtime';

/** Label with the name of an EndpointSlice's service. */
export const serviceLabel = 'kubernetes.io/service-name';

/** Indexes EndpointSlices by `<namespace>/<name>` of their service. */
export const byService: IndexFunc<EndpointSlice> = ({ namespace, labels }) => [`${namespace}/${labels[serviceLabel]}`];
