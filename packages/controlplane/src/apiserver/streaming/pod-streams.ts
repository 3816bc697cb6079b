import { StatusError } from '@kubewright/apimachinery';
import type { NodeConnector } from '../node-connector.ts';
import type { ConnectSubresource } from '../registry/resource-definition.ts';
import { podExec } from './pod-exec.ts';
import { podLog } from './pod-log.ts';

/**
 * The subresources that reach into pods, for `builtinDefinitions({ connect })`: `pods/log` and `pods/exec`.
 * `pods/attach` and `pods/portforward` say that they are not there.
 */
export function podStreams(connector: NodeConnector): ReadonlyMap<string, ConnectSubresource> {
  return new Map([
    ['pods/log', podLog(connector)],
    ['pods/exec', podExec(connector)],
    ['pods/attach', missing('attach', 'use exec, or read the log with follow')],
    [
      'pods/portforward',
      missing('portforward', "connect to the pod's address: pods of this node are reachable from this machine"),
    ],
  ]);
}

function missing(what: string, instead: string): ConnectSubresource {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `pods/${what} is not implemented by this server; ${instead}`,
    code: 501,
  } as const;
  return { type: 'connect', connect: () => Promise.reject(new StatusError(status)) };
}
