export * from './apply/index.ts';
export * from './builtin/index.ts';
export * from './decode/index.ts';
export * from './json/index.ts';
export * from './node/index.ts';
export * from './protobuf/index.ts';
export * from './strategic-merge/index.ts';
export * from './structural/index.ts';
