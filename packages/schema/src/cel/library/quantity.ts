import { Quantity as Amount } from '@kubewright/apimachinery';
import { fail } from '../errors.ts';
import { CelDouble } from '../values/double.ts';
import { intFromBigInt } from '../values/int.ts';
import { type Library, overload } from './library.ts';
import { parseQuantity, QuantityValue, quantityType } from './quantity-value.ts';

type Quantity = QuantityValue;

/** Amounts of resources: `quantity('1.5Gi').isGreaterThan(quantity('1G'))`. */
export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  types: [['kubernetes.Quantity', quantityType]],
  overloads: [
    overload<[string]>('quantity(string) kubernetes.Quantity', (context, text) => {
      // Charges for large exponents, because arithmetic with huge numbers is slow.
      context.charge(10 + text.length + Math.abs(Number(/[eE]([-+]?\d{1,6})$/.exec(text)?.[1] ?? 0)));
      const parsed = parseQuantity(text);
      return typeof parsed === 'string' ? fail(parsed) : parsed;
    }),
    overload<[string]>('isQuantity(string) bool', (_, text) => typeof parseQuantity(text) !== 'string'),
    overload<[Quantity]>('sign(kubernetes.Quantity) int', (_, { amount }) => amount.sign),
    overload<[Quantity, Quantity]>(
      'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity) bool',
      (_, a, b) => a.amount.compare(b.amount) > 0,
    ),
    overload<[Quantity, Quantity]>(
      'kubernetes.Quantity.isLessThan(kubernetes.Quantity) bool',
      (_, a, b) => a.amount.compare(b.amount) < 0,
    ),
    overload<[Quantity, Quantity]>('kubernetes.Quantity.compareTo(kubernetes.Quantity) int', (_, a, b) =>
      Math.sign(a.amount.compare(b.amount)),
    ),
    overload<[Quantity]>(
      'kubernetes.Quantity.asApproximateFloat() double',
      (_, { amount }) => new CelDouble(amount.toNumber()),
    ),
    overload<[Quantity]>('kubernetes.Quantity.asInteger() int', (_, { integer }) =>
      integer === undefined ? fail('cannot convert value to integer') : intFromBigInt(integer)!,
    ),
    overload<[Quantity]>('kubernetes.Quantity.isInteger() bool', (_, { integer }) => integer !== undefined),
    overload<[Quantity, Quantity]>('kubernetes.Quantity.add(kubernetes.Quantity) kubernetes.Quantity', (_, a, b) =>
      a.plus(b),
    ),
    overload<[Quantity, number | bigint]>('kubernetes.Quantity.add(int) kubernetes.Quantity', (_, a, b) =>
      a.plus(whole(b)),
    ),
    overload<[Quantity, Quantity]>('kubernetes.Quantity.sub(kubernetes.Quantity) kubernetes.Quantity', (_, a, b) =>
      a.plus(b.negated()),
    ),
    overload<[Quantity, number | bigint]>('kubernetes.Quantity.sub(int) kubernetes.Quantity', (_, a, b) =>
      a.plus(whole(b).negated()),
    ),
  ],
};

function whole(value: number | bigint): QuantityValue {
  return new QuantityValue(Amount.of(value), 0);
}
