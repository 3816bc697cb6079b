/** Number of host addresses in a /24 subnet: all except the first (the network address) and the last (the broadcast address). */
const hosts = 254;
const podSubnets = 256;

/** Returns the address of a pod in 10.244.0.0/16. The addresses of the first 65,024 pods are unique. */
export function podAddress(index: number): string {
  return `10.244.${Math.floor(index / hosts) % podSubnets}.${(index % hosts) + 1}`;
}

/** Returns the address of a load balancer in 203.0.113.0/24. The addresses of the first 254 load balancers are unique. */
export function balancerAddress(index: number): string {
  return `203.0.113.${(index % hosts) + 1}`;
}
