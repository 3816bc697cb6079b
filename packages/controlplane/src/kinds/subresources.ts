import type { SubresourceDefinition } from '@kubewright/apiserver';

type Behaviour = SubresourceDefinition['behaviour'];

/** A view of a scalable kind as `autoscaling/v1` Scale. */
export type ScaleSubresource = Extract<Behaviour, { readonly type: 'scale' }>;

/** A subresource that passes requests on to an HTTP server. */
export type ProxySubresource = Extract<Behaviour, { readonly type: 'proxy' }>;
