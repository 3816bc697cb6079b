import type { SubresourceDefinition } from '@kubewright/apiserver';

type Behaviour = SubresourceDefinition['behaviour'];

/** The scale subresource of a kind, as an `autoscaling/v1` Scale. */
export type ScaleSubresource = Extract<Behaviour, { readonly type: 'scale' }>;

/** A subresource that forwards requests to an HTTP server. */
export type ProxySubresource = Extract<Behaviour, { readonly type: 'proxy' }>;
