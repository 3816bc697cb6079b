import type { NodeConnector } from '../node-connector.ts';
import type { ConnectSubresource } from '../registry/index.ts';
import { podLog } from './pod-log.ts';

/**
 * The subresources that reach into a pod's node: `pods/log`.
 *
 * @param connector - answers the way to the node, or nothing while there is none.
 */
export function podStreams(connector: () => NodeConnector | undefined): ReadonlyMap<string, ConnectSubresource> {
  return new Map([['pods/log', podLog(connector)]]);
}
