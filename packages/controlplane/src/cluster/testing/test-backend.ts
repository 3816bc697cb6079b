import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestEnvironmentError } from './test-environment-error.ts';

/** Environment variables of a process. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The cluster that tests run on, selected by envtest's environment variables. */
export type TestBackend =
  | { readonly type: 'embedded' }
  | { readonly type: 'existing' }
  | {
      readonly type: 'binaries';
      readonly etcd: string;
      readonly apiServer: string;
      readonly startTimeoutMs: number;
      readonly stopTimeoutMs: number;
      /** True to show the output of both programs. */
      readonly showOutput: boolean;
    };

/** Same as envtest's default. */
const defaultTimeoutMs = 20_000;

/**
 * Reads envtest's variables: `USE_EXISTING_CLUSTER`, `KUBEBUILDER_ASSETS`, `TEST_ASSET_ETCD`, `TEST_ASSET_KUBE_APISERVER`,
 * `KUBEBUILDER_CONTROLPLANE_START_TIMEOUT` and `_STOP_TIMEOUT`, `KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT`. If none is set,
 * returns the embedded cluster.
 *
 * @throws TestEnvironmentError if a program does not exist or a duration is invalid
 */
export function testBackend(env: Env): TestBackend {
  if (env['USE_EXISTING_CLUSTER']?.toLowerCase() === 'true') return { type: 'existing' };
  const assets = env['KUBEBUILDER_ASSETS'] || undefined;
  const etcd = env['TEST_ASSET_ETCD'] || (assets && join(assets, 'etcd'));
  const apiServer = env['TEST_ASSET_KUBE_APISERVER'] || (assets && join(assets, 'kube-apiserver'));
  if (etcd === undefined && apiServer === undefined) return { type: 'embedded' };
  return {
    type: 'binaries',
    etcd: present(etcd, 'TEST_ASSET_ETCD'),
    apiServer: present(apiServer, 'TEST_ASSET_KUBE_APISERVER'),
    startTimeoutMs: duration(env, 'KUBEBUILDER_CONTROLPLANE_START_TIMEOUT'),
    stopTimeoutMs: duration(env, 'KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT'),
    showOutput: env['KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT']?.toLowerCase() === 'true',
  };
}

function present(path: string | undefined, variable: string): string {
  if (path !== undefined && existsSync(path)) return path;
  const why = path === undefined ? `${variable} is not set` : `${path} does not exist`;
  throw new TestEnvironmentError({
    what: 'cannot start the control plane for the tests',
    why,
    remedy:
      'set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver, or unset the variable to use the embedded cluster',
  });
}

/** Parses a Go duration such as `20s`, `1m30s` or `500ms`. */
function duration(env: Env, variable: string): number {
  const text = env[variable];
  if (text === undefined || text === '') return defaultTimeoutMs;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  if (/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
      (sum, [, number, unit = '']) => sum + Number(number) * (units[unit] ?? 0),
      0,
    );
  }
  throw new TestEnvironmentError({
    what: `invalid value ${JSON.stringify(text)} for ${variable}`,
    why: 'must be a duration such as 60s',
  });
}
