export {
  isProtobufFormat,
  protobufList,
  protobufObject,
  protobufOfJson,
  protobufType,
} from './protobuf-form.ts';
export {
  emptyDocument,
  encodeParts,
  encodeTable,
  type IncludeObject,
  type ListParts,
  partialJson,
  partialParts,
  tableParts,
} from './table.ts';
export { watchRepresentation } from './watch-representation.ts';
