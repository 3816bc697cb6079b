export { type FieldRequirement, FieldSelector, FieldSelectorError } from './field-selector.ts';
