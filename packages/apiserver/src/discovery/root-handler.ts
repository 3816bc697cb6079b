import { Buffer } from 'node:buffer';
import type { RemoteGroups } from '../aggregation/remote-groups.ts';
import type { NonResourceHandler } from '../api-server-options.ts';
import type { ResourceCatalog } from '../registry/index.ts';

/**
 * Serves `/`: the list of the server's paths, for users and tools that explore the server.
 *
 * @example
 * ```ts
 * const root: NonResourceHandler = rootHandler({
 *   catalog: new MutableCatalog([flunders]),
 *   paths: ['/healthz', '/livez', '/readyz', '/version'],
 * });
 * ```
 */
export function rootHandler(options: {
  readonly catalog: ResourceCatalog;
  /** Groups that other servers serve. */
  readonly remote?: RemoteGroups | undefined;
  /** Paths other than those of API groups. */
  readonly paths: readonly string[];
}): NonResourceHandler {
  return ({ info, request }) => {
    if (info.path !== '/' || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined;
    const paths = new Set(['/api', '/apis', '/apis/', ...options.paths]);
    for (const { group, version } of [...options.catalog.all(), ...(options.remote?.versions() ?? [])]) {
      if (group === '') paths.add(`/api/${version}`);
      else paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
    }
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: Buffer.from(JSON.stringify({ paths: [...paths].sort() }, undefined, 2)),
    };
  };
}
