import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestEnvironmentError } from './test-environment-error.ts';

/** Environment variables, as of a process. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What tests run on, and how, by the environment variables of envtest. */
export type TestBackend =
  | { readonly type: 'embedded' }
  | { readonly type: 'existing' }
  | {
      readonly type: 'binaries';
      readonly etcd: string;
      readonly apiServer: string;
      readonly startTimeoutMs: number;
      readonly stopTimeoutMs: number;
      /** Whether what they write is shown. */
      readonly showOutput: boolean;
    };

/** envtest's own. */
const defaultTimeoutMs = 20_000;

/**
 * Reads envtest's variables: `USE_EXISTING_CLUSTER`, `KUBEBUILDER_ASSETS`, `TEST_ASSET_ETCD`, `TEST_ASSET_KUBE_APISERVER`,
 * `KUBEBUILDER_CONTROLPLANE_START_TIMEOUT` and `_STOP_TIMEOUT`, `KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT`. With none of them it is
 * the embedded cluster.
 *
 * @throws TestEnvironmentError for a program that is not there, and a duration that is none
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
  const why = path === undefined ? `${variable} is not set` : `${path} is not there`;
  throw new TestEnvironmentError(
    `the control plane for the tests cannot be started: ${why}; set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver, or unset it for the embedded cluster`,
  );
}

/** As Go writes them: `20s`, `1m30s`, `500ms`. */
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
  throw new TestEnvironmentError(`${variable} is ${JSON.stringify(text)}, which is no duration; write one such as 60s`);
}
