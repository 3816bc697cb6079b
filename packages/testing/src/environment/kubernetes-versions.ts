import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the control planes on this machine, for tests that run on each of them: the embedded cluster, then the versions of etcd
 * and kube-apiserver that envtest's `setup-envtest` has downloaded, oldest first.
 *
 * @returns `version`: such as `1.36.0`, or `embedded` for the embedded cluster. `env`: the environment variables that select the
 * control plane, for `TestEnvironment.start({ env })`
 * @param options - `folder`: the folder that contains the programs, such as the project's `bin`. @defaultValue the folder of
 * `setup-envtest`, such as `~/.local/share/kubebuilder-envtest`
 *
 * @example
 * ```ts
 * for (const { version, env } of kubernetesVersions({ folder: 'bin' })) {
 *   await using environment = await TestEnvironment.start({ env });
 *   console.log(version, await environment.client.discovery.groups());
 * }
 *
 * // As strings, 1.9.0 > 1.30.0.
 * const isNewEnough = (version: string) => version.localeCompare('1.30.0', 'en', { numeric: true }) >= 0;
 * const newer = kubernetesVersions().filter(({ version }) => version === 'embedded' || isNewEnough(version));
 * ```
 */
export function kubernetesVersions(
  options: { readonly folder?: string; readonly env?: Readonly<Record<string, string | undefined>> } = {},
): readonly { readonly version: string; readonly env: Readonly<Record<string, string | undefined>> }[] {
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
function envtestFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === 'darwin') {
    return join(homedir(), 'Library', 'Application Support', 'io.kubebuilder.envtest');
  }
  if (process.platform === 'win32') return join(env['LocalAppData'] ?? homedir(), 'kubebuilder-envtest');
  return join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'kubebuilder-envtest');
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
