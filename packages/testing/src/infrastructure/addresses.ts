/** Addresses of a /24 subnet that hosts have: neither the first one, which names the subnet, nor the last one, for broadcasts. */
const hosts = 254;
const podSubnets = 256;

/** Returns the address of a pod in 10.244.0.0/16. The first 65,024 pods have different ones. */
export function podAddress(index: number): string {
  return `10.244.${Math.floor(index / hosts) % podSubnets}.${(index % hosts) + 1}`;
}

/** Returns the address of a load balancer in 203.0.113.0/24. The first 254 have different ones. */
export function balancerAddress(index: number): string {
  return `203.0.113.${(index % hosts) + 1}`;
}
