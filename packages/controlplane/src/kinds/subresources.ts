import type { SubresourceDefinition } from '@kubewright/apiserver';

type Behavior = SubresourceDefinition['behavior'];

/** The scale subresource of a kind, as an `autoscaling/v1` Scale. */
export type ScaleSubresource = Extract<Behavior, { readonly type: 'scale' }>;

/** A subresource that forwards requests to an HTTP server. */
export type ProxySubresource = Extract<Behavior, { readonly type: 'proxy' }>;
