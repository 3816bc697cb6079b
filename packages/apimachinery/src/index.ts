export * from './clock/index.ts';
export * from './object/index.ts';
export * from './status/index.ts';
