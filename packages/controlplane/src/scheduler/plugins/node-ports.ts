import { portsCollide } from '../cluster/host-ports.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import { unschedulable } from '../framework/rejection.ts';

const name = 'NodePorts';
const rejection = unschedulable(name, "node(s) didn't have free ports for the requested pod ports");

/**
 * Requires the pod's host ports to be free on the node. Ports conflict only with the same address and protocol; 0.0.0.0 means
 * every address.
 */
export const nodePorts: Plugin = {
  name,
  preFilter({ hostPorts: wanted }) {
    if (wanted.length === 0) return undefined;
    return {
      filter({ hostPorts }) {
        for (const taken of hostPorts) if (wanted.some((port) => portsCollide(port, taken))) return rejection;
        return undefined;
      },
    };
  },
  hints: [
    hint('Pod', ['Delete'], ({ hostPorts: wanted }, { old }) => {
      if (!old || (old.nodeName === '' && old.nominatedNodeName === '')) return false;
      return old.hostPorts.some((freed) => wanted.some((port) => portsCollide(port, freed)));
    }),
    hint('Node', ['Add']),
  ],
};
