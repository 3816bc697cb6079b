export { encodePartialList, encodeTable, encodeTableList, type IncludeObject, partialJson } from './table.ts';
export { watchRepresentation } from './watch-representation.ts';
