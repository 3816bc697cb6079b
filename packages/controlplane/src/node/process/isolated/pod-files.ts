import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodDns } from '../../../network/pod-network.ts';
import type { VolumeMount } from '../../driver.ts';

/** Facts that determine a pod's network files. */
export interface PodFileFacts {
  readonly pod: Pod;
  readonly podIP: string;
  /** The pod's host name. */
  readonly hostname: string;
  readonly dns: PodDns | undefined;
  /** Content of this machine's `/etc/resolv.conf`. */
  readonly hostResolvConf: string;
  readonly hostHosts: string;
}

/** Writes `/etc/hosts`, `/etc/resolv.conf` and `/etc/hostname` of a pod. Returns their mounts. */
export function writePodFiles(
  folder: string,
  facts: Omit<PodFileFacts, 'hostResolvConf' | 'hostHosts'>,
): readonly VolumeMount[] {
  // This folder cannot collide with a container's folder: a container name cannot start with a dot.
  const own = join(folder, '.etc');
  mkdirSync(own, { recursive: true, mode: 0o755 });
  const complete = { ...facts, hostResolvConf: read('/etc/resolv.conf'), hostHosts: read('/etc/hosts') };
  const files = { hosts: hostsFile(complete), 'resolv.conf': resolvConf(complete), hostname: `${facts.hostname}\n` };
  return Object.entries(files).map(([name, text]) => {
    const hostPath = join(own, name);
    writeFileSync(hostPath, text, { mode: 0o644 });
    return { mountPath: `/etc/${name}`, hostPath, readOnly: false };
  });
}

/** Returns the fully qualified host name of a pod that sets a subdomain; undefined for other pods. */
function podFqdn({ metadata, spec }: Pod, domain: string): string | undefined {
  const { hostname = metadata.name, subdomain } = spec ?? {};
  return subdomain ? `${hostname}.${subdomain}.${metadata.namespace}.svc.${domain}` : undefined;
}

const kubeletHosts = `# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
`;

/** Returns the content of `/etc/hosts`, as a kubelet (1.36) writes it. */
export function hostsFile({ pod, podIP, hostname, dns, hostHosts }: PodFileFacts): string {
  const { hostNetwork, hostAliases = [] } = pod.spec ?? {};
  const fqdn = podFqdn(pod, dns?.domain ?? 'cluster.local');
  const names = fqdn === undefined ? hostname : `${fqdn}\t${hostname}`;
  const own = hostNetwork
    ? `# Kubernetes-managed hosts file (host network).\n${hostHosts}`
    : `${kubeletHosts}${podIP}\t${names}\n`;
  if (hostAliases.length === 0) return own;
  const aliases = hostAliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`);
  return `${own}\n# Entries added by HostAliases.\n${aliases.join('')}`;
}

/** Returns the content of `/etc/resolv.conf` for the pod's DNS policy, as a kubelet (1.36) writes it. */
export function resolvConf({ pod, dns, hostResolvConf }: PodFileFacts): string {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {}, hostNetwork } = pod.spec ?? {};
  const { namespace } = pod.metadata;
  const ofCluster =
    dns !== undefined && (dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork));
  const host = parse(hostResolvConf);
  const base = ofCluster
    ? {
        nameservers: [dns.address],
        searches: [`${namespace}.svc.${dns.domain}`, `svc.${dns.domain}`, dns.domain, ...host.searches],
        options: ['ndots:5'],
      }
    : dnsPolicy === 'None'
      ? { nameservers: [], searches: [], options: [] }
      : host;
  const own = (dnsConfig.options ?? []).map(({ name = '', value }) => (value ? `${name}:${value}` : name));
  const replaced = new Set(own.map(nameOf));
  const nameservers = unique([...base.nameservers, ...(dnsConfig.nameservers ?? [])]);
  const searches = unique([...base.searches, ...(dnsConfig.searches ?? [])]);
  const options = [...base.options.filter((option) => !replaced.has(nameOf(option))), ...own];
  return [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...nameservers.map((address) => `nameserver ${address}`),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
    '',
  ].join('\n');
}

function parse(text: string) {
  const lines = text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
  const of = (keyword: string): readonly (readonly string[])[] =>
    lines.filter(([first]) => first === keyword).map(([, ...rest]) => rest);
  return { nameservers: of('nameserver').flat(), searches: of('search').at(-1) ?? [], options: of('options').flat() };
}

function nameOf(option: string): string {
  return option.split(':')[0] ?? option;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // This machine does not have the file.
    return '';
  }
}
