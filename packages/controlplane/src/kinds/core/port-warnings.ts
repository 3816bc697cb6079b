import type { FieldPath } from '@kubewright/apimachinery';
import type { ContainerPort, PodSpec } from '../generated/drafts.ts';
import { containersOf } from './containers-of.ts';

interface Port {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

/**
 * Returns warnings for conflicting ports and for repeated port names. A Service would use only one of the ports with
 * the same name.
 */
export function portWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  const ports = containersOf(spec, path).flatMap(({ container, path: at }) =>
    (container.ports ?? []).map((port, index): Port => ({ port, path: at.child('ports').index(index) })),
  );
  return [...conflicts(ports), ...repeatedNames(ports)];
}

function conflicts(ports: readonly Port[]): readonly string[] {
  const seen = new Map<string, Port[]>();
  return ports.flatMap((one) => {
    const { hostIP, hostPort, containerPort, protocol } = one.port;
    const key = `${containerPort}/${protocol}`;
    const others = seen.get(key) ?? [];
    const texts = others.flatMap((other) => conflict(one.port, other));
    seen.set(key, [...others, one]);
    const alone =
      hostIP && !hostPort
        ? [`hostIP set without hostPort: ${goPort(one.port)}`] // Formatted as Go prints the structure.
        : [];
    return [...alone, ...texts].map((text) => `${one.path}: ${text}`);
  });
}

function conflict(port: ContainerPort, other: Port): readonly string[] {
  const [a, b] = [port, other.port];
  const sameHost = (a.hostPort ?? 0) === (b.hostPort ?? 0);
  if (sameHost && (a.hostIP ?? '') === (b.hostIP ?? '')) return [`duplicate port definition with ${other.path}`];
  if (!a.hostPort || !b.hostPort) return [`overlapping port definition with ${other.path}`];
  if (!sameHost || Boolean(a.hostIP) === Boolean(b.hostIP)) return [];
  return [`dangerously ambiguous port definition with ${other.path}`];
}

function goPort({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

function repeatedNames(ports: readonly Port[]): readonly string[] {
  const seen = new Map<string, FieldPath>();
  return ports.flatMap(({ port: { name }, path }) => {
    if (!name) return [];
    const other = seen.get(name);
    if (other === undefined) {
      seen.set(name, path);
      return [];
    }
    return [
      `${path}: duplicate port name "${name}" with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}
