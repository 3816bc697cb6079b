export { encodePartialList, encodeTable, type IncludeObject, partialJson } from './table.ts';
export { watchRepresentation } from './watch-representation.ts';
