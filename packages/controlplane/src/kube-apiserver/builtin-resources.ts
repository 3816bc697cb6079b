import type { ApiHandler, ConnectSubresource } from '@kubewright/apiserver';
import {
  asServer,
  type CrdServing,
  crdDefinition,
  type ReadObject,
  type SchemaTools,
} from '@kubewright/apiserver/internal';
import { builtinDefinitions, type memoryServiceAllocator, type ProxySubresource, podBindings } from '../kinds/index.ts';
import type { AccessControl } from './access-control.ts';
import { authenticationReviews, tokenRequest } from './authentication/index.ts';
import { accessReviews } from './authorization/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { resourceMetrics } from './resource-metrics/index.ts';

/** The parts of the API server that built-in resources use. */
export interface BuiltinResourceParts {
  readonly access: AccessControl;
  readonly read: ReadObject;
  readonly tools: SchemaTools;
  readonly allocator: ReturnType<typeof memoryServiceAllocator>;
  readonly crds: CrdServing;
  readonly handle: ApiHandler;
}

/** Returns the definitions of all built-in resources, including those whose objects are never stored. */
export function builtinResources(
  { clock, random, allowLoopbackEndpoints, connect, usage }: ControlPlaneOptions,
  { access, read, tools, allocator, crds, handle }: BuiltinResourceParts,
): ReturnType<typeof builtinDefinitions> {
  const { tokens, serviceAccounts, authorizer, rbac } = access;
  const metrics = usage ? resourceMetrics({ usage, read, clock }) : [];
  const builtin = builtinDefinitions({
    clock,
    random,
    allocator,
    allowLoopbackEndpoints,
    connect: new Map<string, ConnectSubresource | ProxySubresource>([
      ['serviceaccounts/token', tokenRequest({ tokens, read, clock })],
      ...(connect ?? []),
    ]),
    virtual: new Map([
      ...accessReviews({ authorizer, index: rbac }),
      ...authenticationReviews({ serviceAccounts, clock }),
      ['bindings', podBindings(() => asServer(handle))],
    ]),
    foreign: new Map([
      ['customresourcedefinitions', (row) => crdDefinition(row, { tools, clock, namesInUse: crds.namesInUse })],
    ]),
  });
  return [...builtin, ...metrics];
}
