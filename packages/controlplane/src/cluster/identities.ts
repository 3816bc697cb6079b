import type { ClientCertificate } from '../apiserver/http/index.ts';

/** The user that a cluster's owner gets: may do everything. */
export const adminIdentity: ClientCertificate = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

/** The scheduler, under its bootstrap role. */
export const schedulerIdentity: ClientCertificate = { commonName: 'system:kube-scheduler', organizations: [] };

/** The API server itself, for what it does of its own accord. */
export const serverIdentity: ClientCertificate = { commonName: 'system:apiserver', organizations: ['system:masters'] };

/** All built-in controllers together, for what their informers read. */
export const controllerManagerIdentity: ClientCertificate = {
  commonName: 'system:kube-controller-manager',
  organizations: [],
};

/** A built-in controller, under the bootstrap role `system:controller:<name>`. */
export function controllerIdentity(name: string): ClientCertificate {
  return {
    commonName: `system:serviceaccount:kube-system:${name}`,
    organizations: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
  };
}

/** A node's agent, under the bootstrap role `system:node`. */
export function nodeIdentity(name: string): ClientCertificate {
  return { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
}
