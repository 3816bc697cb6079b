import type { NonResourceHandler } from '../api-server-options.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported } from '../http/failures.ts';

/**
 * Serves `/version`: the version of Kubernetes that the API implements. `major` and `minor` are plain numbers, because
 * clients compare them. The build metadata in `gitVersion`, after the `+`, identifies this server.
 *
 * @example
 * ```ts
 * const nonResourceHandlers: readonly NonResourceHandler[] = [versionHandler(), healthHandler({ checks: [] })];
 * ```
 */
export function versionHandler(): NonResourceHandler {
  const body = Buffer.from(JSON.stringify(versionInfo(), undefined, 2));
  return ({ info, request }): ApiResponse | undefined => {
    if (info.path.replace(/\/+$/, '') !== '/version') return undefined;
    if (request.method !== 'GET') throw methodNotSupported();
    return { status: 200, headers: { 'cache-control': 'no-cache, private', 'content-type': 'application/json' }, body };
  };
}

function versionInfo(): object {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    gitVersion: 'v1.36.3+kubewright',
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'none',
    compiler: `node ${process.versions.node}`,
    platform: `${platform}/${architecture}`,
  };
}
