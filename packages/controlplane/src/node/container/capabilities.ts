/** The capabilities that containerd grants containers by default. */
const defaults: readonly string[] = [
  'audit_write',
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'mknod',
  'net_bind_service',
  'net_raw',
  'setfcap',
  'setgid',
  'setpcap',
  'setuid',
  'sys_chroot',
];

/** The capabilities that a container requests. */
export interface WantedCapabilities {
  readonly privileged?: boolean | undefined;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] } | undefined;
}

/**
 * Returns the largest set of capabilities that a container's programs can get, in the format of
 * `setpriv --bounding-set`; `undefined` if all capabilities are allowed. Capabilities apply only to resources of the
 * container's user namespace.
 */
export function boundingSet({ privileged, capabilities = {} }: WantedCapabilities): string | undefined {
  if (privileged) return undefined;
  const add = (capabilities.add ?? []).map(nameOf);
  const drop = (capabilities.drop ?? []).map(nameOf);
  if (add.includes('all')) return drop.length === 0 ? undefined : ['+all', ...drop.map((name) => `-${name}`)].join();
  const kept = drop.includes('all') ? [] : defaults.filter((name) => !drop.includes(name));
  return ['-all', ...[...new Set([...kept, ...add])].map((name) => `+${name}`)].join();
}

function nameOf(name: string): string {
  return name.toLowerCase().replace(/^cap_/, '');
}
