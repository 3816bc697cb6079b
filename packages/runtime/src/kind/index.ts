export {
  type CustomResource,
  type DefinedKind,
  defineKind,
  type KindDefinition,
  type PrinterColumn,
  type ScaleSubresource,
} from './define-kind.ts';
export { kindKey } from './kind-key.ts';
