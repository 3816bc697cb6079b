/**
 * Loads Node's `node:http` or `node:https`. An import statement would also load Node's fetch, which costs 30 ms and
 * 14 MB.
 */
export function nodeHttp(): typeof import('node:http');
export function nodeHttp(protocol: 'https'): typeof import('node:https');
export function nodeHttp(
  protocol: 'http' | 'https' = 'http',
): typeof import('node:http') | typeof import('node:https') {
  return protocol === 'https' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
}
