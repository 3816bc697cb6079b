import type { Service } from '@kubewright/apimachinery/core/v1';

/**
 * Returns the environment variables for services (`FOO_SERVICE_HOST`, `FOO_SERVICE_PORT`, and Docker's `FOO_PORT_…` forms). The
 * caller selects the services: every container gets `kubernetes`, and a pod with service links also gets its namespace's
 * services.
 */
export function serviceVariables(services: readonly Service[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const service of services) {
    const { clusterIP, ports = [] } = service.spec ?? {};
    const [first] = ports;
    if (!clusterIP || clusterIP === 'None' || !first) continue;
    const name = (service.metadata.name ?? '').toUpperCase().replaceAll('-', '_');
    variables.set(`${name}_SERVICE_HOST`, clusterIP);
    variables.set(`${name}_SERVICE_PORT`, String(first.port));
    for (const port of ports) {
      if (port.name) {
        variables.set(`${name}_SERVICE_PORT_${port.name.toUpperCase().replaceAll('-', '_')}`, String(port.port));
      }
    }
    for (const [index, port] of ports.entries()) {
      const protocol = (port.protocol ?? 'TCP').toLowerCase();
      const url = `${protocol}://${hostPart(clusterIP)}:${port.port}`;
      const prefix = `${name}_PORT_${port.port}_${protocol.toUpperCase()}`;
      if (index === 0) variables.set(`${name}_PORT`, url);
      variables.set(prefix, url);
      variables.set(`${prefix}_PROTO`, protocol);
      variables.set(`${prefix}_PORT`, String(port.port));
      variables.set(`${prefix}_ADDR`, clusterIP);
    }
  }
  return variables;
}

function hostPart(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
