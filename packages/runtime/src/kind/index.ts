export {
  type AggregatedResource,
  type ClusterCustomResource,
  type CustomResource,
  type DefinedKind,
  defineKind,
  type KindDefinition,
  type KindSettings,
  type PrinterColumn,
  type ScaleSubresource,
} from './define-kind.ts';
