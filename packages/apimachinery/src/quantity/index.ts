export { canonicalQuantity, Quantity, QuantityError } from './quantity.ts';
