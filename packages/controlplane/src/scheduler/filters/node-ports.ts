import { type HostPort, podHostPorts } from '../node-info.ts';
import type { Filter } from './filter.ts';

/** Requires that the pod's host ports are free. A port is taken per address and protocol; 0.0.0.0 means every address. */
export const nodePorts: Filter = {
  name: 'NodePorts',
  reasons({ spec }, { hostPorts }) {
    const wanted = podHostPorts(spec);
    const free = wanted.every((port) => !hostPorts.some((taken) => collide(port, taken)));
    return free ? [] : ["node(s) didn't have free ports for the requested pod ports"];
  },
};

function collide(a: HostPort, b: HostPort): boolean {
  const sameAddress = a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0';
  return a.port === b.port && a.protocol === b.protocol && sameAddress;
}
