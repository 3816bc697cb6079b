import { StatusError } from '@kubewright/apimachinery';
import type { ConnectSubresource } from '@kubewright/apiserver';
import type { VirtualResource } from '@kubewright/apiserver/internal';
import type { BuiltinResource } from '@kubewright/schema/internal';
import type { BuiltinDefinitionsOptions } from './builtin-options.ts';
import { podBinding } from './core/pod-binding.ts';
import type { ProxySubresource } from './subresources.ts';

/**
 * Subresources that a client can open with a GET if it uses a WebSocket. They also require the verb `create`, so that a
 * client that may only read pods cannot run commands in them. Upstream has had this rule since 1.35; its 403 response
 * has no message.
 */
const reachIntoPods: ReadonlySet<string> = new Set(['pods/exec', 'pods/attach', 'pods/portforward']);

/** Returns the behavior of a subresource other than status and scale. The caller's hooks take precedence. */
export function connectSubresource(
  path: string,
  options: BuiltinDefinitionsOptions,
): ConnectSubresource | ProxySubresource {
  const given = options.connect?.get(path);
  if (given?.type === 'proxy') return given;
  if (given) return { ...given, getNeedsCreate: reachIntoPods.has(path) };
  if (path === 'pods/binding') return podBinding(options.clock);
  return { type: 'connect', connect: () => Promise.reject(notServed(path)) };
}

/** Returns the behavior of a resource that is never stored. The caller's hooks provide it. */
export function virtualResource(resource: BuiltinResource, options: BuiltinDefinitionsOptions): VirtualResource {
  const given = options.virtual?.get(resource.resource);
  return given ?? { create: () => Promise.reject(notServed(resource.resource)) };
}

function notServed(what: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${what} is not implemented on this server; start it with a component that implements it`,
    code: 501,
  });
}
