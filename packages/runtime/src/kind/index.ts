export {
  type ClusterCustomMeta,
  type CustomResource,
  type DefinedKind,
  defineKind,
  type KindDefinition,
  type KindSettings,
  type NamespacedCustomMeta,
  type PrinterColumn,
  type ScaleSubresource,
} from './define-kind.ts';
export { kindKey } from './kind-key.ts';
