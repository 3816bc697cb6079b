export { type FieldPathElements, FieldSet, FieldSetBuilder, FieldSetError, formatFieldPath } from './field-set.ts';
export {
  comparePathElements,
  fieldElement,
  formatPathElement,
  indexElement,
  keyElement,
  type ParsedPathElement,
  type PathElement,
  parsePathElement,
  valueElement,
} from './path-element.ts';
