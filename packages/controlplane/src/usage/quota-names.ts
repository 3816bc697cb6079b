const podNames = ['cpu', 'memory', 'ephemeral-storage'];
const ofPods = new Set([
  'pods',
  'count/pods',
  ...podNames,
  ...podNames.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
const ofServices = new Set(['services', 'count/services', 'services.nodeports', 'services.loadbalancers']);
const ofClaims = new Set(['persistentvolumeclaims', 'count/persistentvolumeclaims', 'requests.storage']);
const aliases = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** Returns the resource whose objects a quota name counts: `deployments.apps` for `count/deployments.apps`. */
export function countedResource(name: string): string | undefined {
  if (ofPods.has(name) || ofServices.has(name) || ofClaims.has(name)) return undefined;
  if (aliases.has(name)) return name;
  return name.startsWith('count/') ? name.slice('count/'.length) : undefined;
}

/** True if a quota name limits what pods use. */
export function isOfPods(name: string): boolean {
  if (ofPods.has(name) || /^(?:requests\.)?hugepages-/.test(name)) return true;
  const [, extended = ''] = /^requests\.(.+)$/.exec(name) ?? [];
  return extended.includes('/') && !extended.includes('kubernetes.io/');
}

/** True if a quota name limits what Services use. */
export function isOfServices(name: string): boolean {
  return ofServices.has(name);
}

/** True if a quota name limits what claims use. */
export function isOfClaims(name: string): boolean {
  const [, scoped = name] = /\.storageclass\.storage\.k8s\.io\/(.+)$/.exec(name) ?? [];
  return ofClaims.has(scoped);
}
