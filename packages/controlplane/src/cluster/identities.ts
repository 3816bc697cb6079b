import type { ClientCertificate } from '@kubewright/apiserver/internal';

/** The administrator, who may do everything. */
export const adminIdentity: ClientCertificate = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

/** The scheduler, with its bootstrap role. */
export const schedulerIdentity: ClientCertificate = { commonName: 'system:kube-scheduler', organizations: [] };

/** The API server itself, for its own internal requests. */
export const serverIdentity: ClientCertificate = { commonName: 'system:apiserver', organizations: ['system:masters'] };

/** The controller manager: the shared identity under which the built-in controllers' informers read. */
export const controllerManagerIdentity: ClientCertificate = {
  commonName: 'system:kube-controller-manager',
  organizations: [],
};

/** Returns the identity of a built-in controller, with the bootstrap role `system:controller:<name>`. */
export function controllerIdentity(name: string): ClientCertificate {
  return {
    commonName: `system:serviceaccount:kube-system:${name}`,
    organizations: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
  };
}

/** Returns the identity of a node's agent, with the bootstrap role `system:node`. */
export function nodeIdentity(name: string): ClientCertificate {
  return { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
}
