/** Loads Node's `node:http`. An import statement would also load Node's fetch, which costs 30 ms and 14 MB. */
export function nodeHttp(): typeof import('node:http') {
  return process.getBuiltinModule('node:http');
}
