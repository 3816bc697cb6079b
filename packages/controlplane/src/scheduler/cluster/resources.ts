import { Quantity } from '@kubewright/apimachinery';

/** Resource quantities as written in manifests. */
export type ResourceList = Readonly<Record<string, string | number>>;

/**
 * Amounts by resource name: `cpu` in millicores, everything else in whole units. Fractions are kept so that sums are rounded only
 * once.
 */
export type Amounts = Map<string, number>;

const parsed = new Map<string, number>();
const maxParsed = 10_000;

/** Parses an amount: `cpu` in millicores, everything else in whole units. */
function amountOf(name: string, text: string | number): number {
  const key = name === 'cpu' ? `cpu ${text}` : String(text);
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const quantity = Quantity.tryParse(text) ?? Quantity.zero;
  // Divide exact integers, so that sums of decimal fractions stay exact.
  const amount = name === 'cpu' ? Number(quantity.scaledValue(-9)) / 1e6 : Number(quantity.scaledValue(-3)) / 1e3;
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(key, amount);
  return amount;
}

/** Parses a list of resource quantities. */
export function amounts(list: ResourceList | undefined): Amounts {
  const result: Amounts = new Map();
  for (const name in list) result.set(name, amountOf(name, list[name] ?? 0));
  return result;
}

/** Adds `more` to `into`, in place. */
export function addAmounts(into: Amounts, more: ReadonlyMap<string, number>): void {
  for (const [name, amount] of more) into.set(name, (into.get(name) ?? 0) + amount);
}

/** Raises each amount of `into` to the amount in `others` if the latter is larger, in place. */
export function raiseAmounts(into: Amounts, others: ReadonlyMap<string, number>): void {
  for (const [name, amount] of others) {
    const present = into.get(name);
    if (present === undefined || amount > present) into.set(name, amount);
  }
}

/** True for resources other than the standard resources: extended resources, huge pages and attachable volumes. */
function isScalarResource(name: string): boolean {
  if (name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')) return true;
  return name.includes('/') && (!name.startsWith('requests.') || name.includes('kubernetes.io/'));
}

const noScalars: ReadonlyMap<string, number> = new Map();

/** The amounts that the scheduler compares, rounded up to whole millicores and whole units. */
export class Resources {
  milliCpu = 0;
  memory = 0;
  ephemeralStorage = 0;
  pods = 0;
  scalars: ReadonlyMap<string, number> = noScalars;

  static of(list: ReadonlyMap<string, number>): Resources {
    const result = new Resources();
    let scalars: Amounts | undefined;
    for (const [name, exact] of list) {
      const amount = Math.ceil(exact);
      if (name === 'cpu') result.milliCpu = amount;
      else if (name === 'memory') result.memory = amount;
      else if (name === 'ephemeral-storage') result.ephemeralStorage = amount;
      else if (name === 'pods') result.pods = amount;
      else if (isScalarResource(name)) {
        scalars ??= new Map();
        scalars.set(name, amount);
      }
    }
    if (scalars) result.scalars = scalars;
    return result;
  }

  /** True if every amount except the number of pods is zero. */
  get isNone(): boolean {
    return this.milliCpu === 0 && this.memory === 0 && this.ephemeralStorage === 0 && this.scalars.size === 0;
  }

  /** Adds the other amounts (`times` 1) or subtracts them (`times` -1), in place. The number of pods does not change. */
  add(other: Resources, times: 1 | -1): void {
    this.milliCpu += times * other.milliCpu;
    this.memory += times * other.memory;
    this.ephemeralStorage += times * other.ephemeralStorage;
    if (other.scalars.size === 0) return;
    const scalars = new Map(this.scalars);
    for (const [name, amount] of other.scalars) scalars.set(name, (scalars.get(name) ?? 0) + times * amount);
    this.scalars = scalars;
  }

  clone(): Resources {
    return Object.assign(new Resources(), this);
  }
}
