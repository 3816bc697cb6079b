import type { Connection } from '@kubewright/apiserver';

/** The identity of a client: the subject of its certificate. */
export type Identity = NonNullable<Connection['clientCertificate']>;

/** The administrator, who has all permissions. */
export const adminIdentity: Identity = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

/** The scheduler, with its bootstrap role. */
export const schedulerIdentity: Identity = { commonName: 'system:kube-scheduler', organizations: [] };

/** The proxy that routes services, with its bootstrap role. */
export const proxyIdentity: Identity = { commonName: 'system:kube-proxy', organizations: [] };

/** The API server itself, for its own internal requests. */
export const serverIdentity: Identity = { commonName: 'system:apiserver', organizations: ['system:masters'] };

/** The controller manager: the shared identity under which the built-in controllers' informers read. */
export const controllerManagerIdentity: Identity = {
  commonName: 'system:kube-controller-manager',
  organizations: [],
};

/** Returns the identity of a built-in controller, with the bootstrap role `system:controller:<name>`. */
export function controllerIdentity(name: string): Identity {
  return {
    commonName: `system:serviceaccount:kube-system:${name}`,
    organizations: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
  };
}

/** Returns the identity of a node's agent, with the bootstrap role `system:node`. */
export function nodeIdentity(name: string): Identity {
  return { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
}
