import { hint, type Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';

const name = 'NodeName';
const rejection = unresolvable(name, "node(s) didn't match the requested node name");

/** Restricts a pod that names a node to that node. */
export const nodeName: Plugin = {
  name,
  preFilter({ nodeName: requested }) {
    if (requested === '') return undefined;
    return { filter: (node) => (node.name === requested ? undefined : rejection) };
  },
  hints: [hint('Node', ['Add'])],
};
