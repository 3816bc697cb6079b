import type { Clock } from '@kubewright/apimachinery';
import type { ConnectSubresource } from '@kubewright/apiserver';
import type { NodeConnector } from './node-connector.ts';
import { podAttach } from './pod-attach.ts';
import { podExec } from './pod-exec.ts';
import { podLog } from './pod-log.ts';
import { podPortForward } from './pod-port-forward.ts';

/** Returns the streaming subresources of pods. */
export function podStreams(connector: NodeConnector, clock: Clock): ReadonlyMap<string, ConnectSubresource> {
  return new Map([
    ['pods/log', podLog(connector)],
    ['pods/exec', podExec(connector, clock)],
    ['pods/attach', podAttach(connector, clock)],
    ['pods/portforward', podPortForward(connector)],
  ]);
}
