/** Resources whose keys contain a name other than the plural, as in kube-apiserver 1.36. */
const special: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Groups of the other API servers embedded in kube-apiserver, whose keys contain the group. */
const embeddedGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/**
 * Returns the storage key prefix of a built-in resource. The prefix equals kube-apiserver's, so both servers can share
 * an etcd. The prefix of a custom resource is `/registry/<group>/<resource>/`.
 */
export function storagePrefix({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return `/registry/${embeddedGroups.has(group) ? `${group}/` : ''}${special[resource] ?? resource}/`;
}
