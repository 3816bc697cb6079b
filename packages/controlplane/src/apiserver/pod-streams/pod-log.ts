import { badRequest } from '@kubewright/apimachinery';
import type { NodeConnector } from '../node-connector.ts';
import type { ConnectSubresource } from '../registry/index.ts';
import { chooseContainer, nodeNameOf } from './choose-container.ts';
import { readLogOptions } from './log-options.ts';

/** `pods/log`: a container's output, from the node that runs it. */
export function podLog(connector: () => NodeConnector | undefined): ConnectSubresource {
  return {
    type: 'connect',
    async connect(call) {
      const { query, request } = call;
      const pod = await call.parent();
      const options = readLogOptions(query, call.name);
      const container = chooseContainer(pod, query.get('container'));
      const headers = { 'content-type': 'text/plain' };
      // A pod without a node has said nothing yet: upstream answers an empty text.
      if (nodeNameOf(pod) === undefined) return { status: 200, headers, body: new Uint8Array(0) };
      const node = connector();
      if (node === undefined) throw badRequest(`node ${nodeNameOf(pod)} has no agent that could be asked for logs`);
      const body = await node.logs(pod, { ...options, container, signal: request.signal });
      return { status: 200, headers, body };
    },
  };
}
