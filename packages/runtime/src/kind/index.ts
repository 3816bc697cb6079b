export {
  type AggregatedResource,
  type ClusterCustomResource,
  type CustomResource,
  type DefinedKind,
  defineKind,
  type KindDefinition,
  type KindSettings,
  kindKey,
  type PrinterColumn,
  type ScaleSubresource,
} from './define-kind.ts';
