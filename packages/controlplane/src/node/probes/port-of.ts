import type { Container } from '@kubewright/apimachinery/core/v1';

/** Resolves a port number or name. @throws Error if the container has no such port. */
export function portOf(port: number | string, container: Container): number {
  if (typeof port === 'number') return port;
  const found = container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
  if (!Number.isInteger(found) || found < 1 || found > 65_535) throw new Error(`couldn't find port: "${port}"`);
  return found;
}
