export * from './clock/index.ts';
export * from './conditions/index.ts';
export * from './managed-fields/index.ts';
export * from './object/index.ts';
export * from './status/index.ts';
export * from './text/index.ts';
export * from './validation/index.ts';
