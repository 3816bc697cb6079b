import { type Clock, KubewrightError, type Random } from '@kubewright/apimachinery';

/** Allocates cluster IPs and node ports. All calls are synchronous. Each API server has one allocator. */
export interface ServiceAllocator {
  /** The default range of addresses, in CIDR notation. ServiceCIDRs add further ranges. */
  readonly cidr: string;
  /**
   * Allocates the requested address, or any free address. With `dryRun`, nothing is allocated.
   *
   * @throws AllocationError if the requested address is taken or out of range, or if none is free.
   */
  takeIp(options: AllocationRequest<string>): string;
  /** Allocates a node port, like {@link takeIp}. */
  takeNodePort(options: AllocationRequest<number>): number;
  /** Releases allocations of a request that failed. */
  giveBack(taken: TakenNumbers): void;
  /** Reports a change to a stored Service, so that addresses and ports that are no longer used become free. */
  stored(change: {
    readonly current: AllocatedService | undefined;
    readonly previous: AllocatedService | undefined;
  }): void;
  /** Reports a change to a stored ServiceCIDR. */
  rangesStored(change: {
    readonly current: AddressRanges | undefined;
    readonly previous: AddressRanges | undefined;
  }): void;
}

/** The fields of a ServiceCIDR that the allocator reads. */
export interface AddressRanges {
  readonly metadata?: { readonly name?: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly cidrs?: readonly string[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Addresses and ports allocated for one request. */
export interface TakenNumbers {
  readonly ips: readonly string[];
  readonly nodePorts: readonly number[];
}

/** An allocation request. Without `requested`, any free value is allocated. */
export interface AllocationRequest<T> {
  readonly requested?: T | undefined;
  readonly dryRun: boolean;
}

/** The fields of a stored Service that hold allocations. */
export interface AllocatedService {
  readonly spec?: {
    readonly clusterIPs?: readonly string[];
    readonly healthCheckNodePort?: number;
    readonly ports?: readonly { readonly nodePort?: number }[];
  };
}

/** Thrown if an address or port cannot be allocated. The message is upstream's. */
export class AllocationError extends KubewrightError {
  override readonly name = 'AllocationError';
  readonly code = 'KW5103';
}

/** Options for {@link memoryServiceAllocator}. */
export interface MemoryServiceAllocatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** @defaultValue '10.96.0.0/16' */
  readonly cidr?: string;
  /** First and last node port, inclusive. @defaultValue [30000, 32767] */
  readonly nodePorts?: readonly [number, number];
}

/** Time until an allocation expires if its Service is never stored, in milliseconds. */
const reservationMs = 60_000;

/**
 * Creates an in-memory allocator. The caller must report every stored Service and ServiceCIDR at startup, and every change
 * afterwards. An allocation that is never reported as stored expires after a minute.
 *
 * Addresses that are not requested come from the default range until it is full. Upstream (1.36) chooses among all ranges at
 * random.
 */
export function memoryServiceAllocator(options: MemoryServiceAllocatorOptions): ServiceAllocator {
  const { clock, random, cidr = '10.96.0.0/16', nodePorts = [30_000, 32_767] } = options;
  const ranges = new Ranges(cidr);
  const ips = new Pool({ clock, random });
  const ports = new Pool({ clock, random });
  return {
    cidr,
    takeIp({ requested, dryRun }) {
      if (requested === undefined) {
        const free = ips.takeAny(ranges.usable(), dryRun);
        if (free === undefined) throw new AllocationError({ what: 'range is full' });
        return formatIpv4(free);
      }
      const number = parseIpv4(requested);
      if (number === undefined || !ranges.usable().some(({ first, last }) => first <= number && number <= last)) {
        const what = dryRun
          ? `the provided IP (${requested}) is not in the valid range. The range of valid IPs is ${cidr}`
          : 'the provided network does not match the current range';
        throw new AllocationError({ what });
      }
      // In upstream's dry run, every address counts as free.
      if (!dryRun && !ips.take(number, false)) throw new AllocationError({ what: `provided IP is already allocated` });
      return requested;
    },
    takeNodePort({ requested, dryRun }) {
      if (requested === undefined) {
        const free = ports.takeAny([{ first: nodePorts[0], last: nodePorts[1] }], dryRun);
        if (free === undefined) throw new AllocationError({ what: 'range is full' });
        return free;
      }
      // In upstream's dry run, every port counts as free.
      if (dryRun) return requested;
      if (requested < nodePorts[0] || requested > nodePorts[1]) {
        throw new AllocationError({
          what: `provided port is not in the valid range. The range of valid ports is ${nodePorts.join('-')}`,
        });
      }
      if (!ports.take(requested, dryRun)) throw new AllocationError({ what: 'provided port is already allocated' });
      return requested;
    },
    giveBack(taken) {
      for (const ip of taken.ips) ips.giveBack(parseIpv4(ip) ?? 0);
      for (const port of taken.nodePorts) ports.giveBack(port);
    },
    stored({ current, previous }) {
      ips.replace({ before: addressesOf(previous), after: addressesOf(current) });
      ports.replace({ before: portsOf(previous), after: portsOf(current) });
    },
    rangesStored: (change) => ranges.stored(change),
  };
}

function addressesOf(service: AllocatedService | undefined): readonly number[] {
  return (service?.spec?.clusterIPs ?? []).map(parseIpv4).filter((ip) => ip !== undefined);
}

function portsOf(service: AllocatedService | undefined): readonly number[] {
  const ports = (service?.spec?.ports ?? []).map(({ nodePort }) => nodePort);
  return [...ports, service?.spec?.healthCheckNodePort].filter((port) => port !== undefined && port !== 0) as number[];
}

/** A range of numbers; both ends are included. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** The default range of addresses, and those of ServiceCIDRs. */
class Ranges {
  readonly #default: Range;
  readonly #added = new Map<string, readonly Range[]>();

  constructor(cidr: string) {
    const range = parseCidr(cidr);
    if (!range) throw new Error(`${cidr} is not a valid IPv4 CIDR for services`);
    this.#default = range;
  }

  usable(): readonly Range[] {
    return [this.#default, ...[...this.#added.values()].flat()];
  }

  stored(change: { readonly current: AddressRanges | undefined; readonly previous: AddressRanges | undefined }): void {
    const { current, previous } = change;
    const name = current?.metadata?.name ?? previous?.metadata?.name ?? '';
    if (!current || current.metadata?.deletionTimestamp || !isReady(current)) this.#added.delete(name);
    // Only IPv4 ranges have addresses: this server has a single stack.
    else
      this.#added.set(
        name,
        (current.spec?.cidrs ?? []).map(parseCidr).filter((range) => range !== undefined),
      );
  }
}

/** Reports whether a ServiceCIDR can be used. One without a condition can: no controller may be running. */
function isReady({ status }: AddressRanges): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True';
}

/** A pool of numbers, each of which is free, reserved for a limited time, or stored. */
class Pool {
  readonly #options: { readonly clock: Clock; readonly random: Random };
  readonly #stored = new Set<number>();
  readonly #reservedUntil = new Map<number, number>();

  constructor(options: { readonly clock: Clock; readonly random: Random }) {
    this.#options = options;
  }

  take(number: number, dryRun: boolean): boolean {
    if (!this.#isFree(number)) return false;
    if (!dryRun) this.#reservedUntil.set(number, this.#options.clock.monotonic() + reservationMs);
    return true;
  }

  /** Takes a free number of the first range that has one. */
  takeAny(ranges: readonly Range[], dryRun: boolean): number | undefined {
    for (const { first, last } of ranges) {
      const size = last - first + 1;
      const start = Math.floor(this.#options.random.next() * size);
      for (let i = 0; i < size; i++) {
        const number = first + ((start + i) % size);
        if (this.take(number, dryRun)) return number;
      }
    }
    return undefined;
  }

  giveBack(number: number): void {
    this.#reservedUntil.delete(number);
  }

  replace(change: { readonly before: readonly number[]; readonly after: readonly number[] }): void {
    for (const number of change.before) this.#stored.delete(number);
    for (const number of change.after) {
      this.#stored.add(number);
      this.#reservedUntil.delete(number);
    }
  }

  #isFree(number: number): boolean {
    if (this.#stored.has(number)) return false;
    const until = this.#reservedUntil.get(number);
    return until === undefined || until <= this.#options.clock.monotonic();
  }
}

function parseIpv4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || parts.some((part) => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255))
    return undefined;
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

function formatIpv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}

/** Returns the addresses of a range, without those of the network and for broadcasts; undefined if it is not IPv4. */
function parseCidr(cidr: string): Range | undefined {
  const [address = '', bits = ''] = cidr.split('/', 2);
  const base = parseIpv4(address);
  const size = 2 ** (32 - Number(bits));
  if (base === undefined || !Number.isInteger(size) || size < 4) return undefined;
  const start = base - (base % size);
  return { first: start + 1, last: start + size - 2 };
}
