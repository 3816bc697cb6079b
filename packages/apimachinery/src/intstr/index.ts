export { type IntOrString, type ScaledValueOptions, scaledValue } from './int-or-string.ts';
