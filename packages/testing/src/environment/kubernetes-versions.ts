import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * A control plane to run tests on, and the environment variables that select it.
 *
 * @example
 * ```ts
 * const isNewEnough = ({ version }: KubernetesVersion): boolean =>
 *   version === 'embedded' || version.localeCompare('1.30.0', 'en', { numeric: true }) >= 0; // as strings, 1.9.0 > 1.30.0
 * const versions = kubernetesVersions().filter(isNewEnough);
 * ```
 */
export interface KubernetesVersion {
  /** The version, such as `1.36.0`; `embedded` for the embedded cluster. */
  readonly version: string;
  /** For `TestEnvironment.start({ env })`. */
  readonly env: Env;
}

/**
 * Returns the control planes on this machine, for tests that run on each of them: the embedded cluster, then the versions of etcd
 * and kube-apiserver that envtest's `setup-envtest` has downloaded, oldest first.
 *
 * @param options - `folder`: the folder that contains the programs, such as the project's `bin`. @defaultValue the folder of
 * `setup-envtest`, such as `~/.local/share/kubebuilder-envtest`
 *
 * @example
 * ```ts
 * for (const { version, env } of kubernetesVersions({ folder: 'bin' })) {
 *   await using environment = await TestEnvironment.start({ env });
 *   console.log(version, await environment.client.discovery.groups());
 * }
 * ```
 */
export function kubernetesVersions(
  options: { readonly folder?: string; readonly env?: Env } = {},
): readonly KubernetesVersion[] {
  const { env = process.env, folder = envtestFolder(env) } = options;
  const { USE_EXISTING_CLUSTER: _existing, KUBEBUILDER_ASSETS: _assets, ...others } = env;
  const binaries = join(folder, 'k8s');
  const versions = (existsSync(binaries) ? readdirSync(binaries) : []).flatMap((name) => {
    const assets = join(binaries, name);
    const [, version] = /^(\d+\.\d+\.\d+)-/.exec(name) ?? [];
    const isComplete = ['etcd', 'kube-apiserver'].every((program) => existsSync(join(assets, program)));
    return version !== undefined && isComplete ? [{ version, env: { ...others, KUBEBUILDER_ASSETS: assets } }] : [];
  });
  return [{ version: 'embedded', env: others }, ...versions.sort((a, b) => compareVersions(a.version, b.version))];
}

/** Returns the folder of setup-envtest, the default of its `--bin-dir`. */
function envtestFolder(env: Env): string {
  if (process.platform === 'darwin') {
    return join(homedir(), 'Library', 'Application Support', 'io.kubebuilder.envtest');
  }
  if (process.platform === 'win32') return join(env['LocalAppData'] ?? homedir(), 'kubebuilder-envtest');
  return join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'kubebuilder-envtest');
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
