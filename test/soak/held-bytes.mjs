import { getHeapSnapshot } from 'node:v8';

/** Types of memory that V8 uses for code. They fluctuate for weeks, by more than a leak would add. */
const ofTheEngine = new Set(['code', 'object shape', 'hidden', 'native', 'synthetic']);

/** Returns the bytes of all reachable objects, arrays, strings and functions in this process, after garbage collection. */
export async function heldBytes() {
  let text = '';
  for await (const chunk of getHeapSnapshot()) text += chunk;
  const { snapshot, nodes } = JSON.parse(text);
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (!ofTheEngine.has(types[type][nodes[at + type]])) bytes += nodes[at + size];
  }
  return bytes;
}
