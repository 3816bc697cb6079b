import { Quantity } from '@kubewright/apimachinery';

/** Amounts by resource name. */
export type ResourceAmounts = Readonly<Record<string, Quantity>>;

/** Parses amounts by resource name; absent input gives no amounts. */
export function amountsOf(resources: Readonly<Record<string, string>> | undefined): ResourceAmounts {
  return Object.fromEntries(
    Object.entries(resources ?? {}).map(([name, text]) => [name, Quantity.parse(String(text))]),
  );
}

/** Returns the sum of both amounts for each name. */
export function addAmounts(a: ResourceAmounts, b: ResourceAmounts): ResourceAmounts {
  return merged(a, b, (left, right) => left.add(right));
}

/** Returns the larger of both amounts for each name. */
export function maxAmounts(a: ResourceAmounts, b: ResourceAmounts): ResourceAmounts {
  return merged(a, b, (left, right) => (right.compare(left) > 0 ? right : left));
}

function merged(
  a: ResourceAmounts,
  b: ResourceAmounts,
  merge: (left: Quantity, right: Quantity) => Quantity,
): ResourceAmounts {
  const result: Record<string, Quantity> = { ...a };
  for (const [name, right] of Object.entries(b)) {
    const left = result[name];
    result[name] = left ? merge(left, right) : right;
  }
  return result;
}
