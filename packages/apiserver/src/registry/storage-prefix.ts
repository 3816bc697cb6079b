/** Resources whose keys do not carry the plural name, as in kube-apiserver 1.36. */
const special: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Groups of the servers that kube-apiserver contains; their keys carry the group. */
const ownServers: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/**
 * Returns the prefix of the storage keys of a built-in resource. It is the one that kube-apiserver uses, so that both find the same
 * objects in one etcd. The keys of custom resources are in `/registry/<group>/<resource>/`.
 */
export function storagePrefix({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return `/registry/${ownServers.has(group) ? `${group}/` : ''}${special[resource] ?? resource}/`;
}
