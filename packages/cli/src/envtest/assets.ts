import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { shellWord } from '../program/shell-word.ts';
import { version } from '../program/version.ts';
import { etcdHelp } from './etcd.ts';
import { apiServerHelp } from './kube-apiserver-flags.ts';

/**
 * Prints a folder with the programs `etcd`, `kube-apiserver` and `kubectl`, for Go's envtest. The folder is in the user's cache,
 * is shared by all projects, and stays valid while the installation of Kubewright that wrote it exists.
 */
export function assets({ environment, reporter }: Context): void {
  const { program, env, homeDirectory, platform } = environment;
  if (platform === 'win32') {
    throw new CliError('KW7011', {
      what: 'cannot write the programs for envtest',
      why: 'the programs are shell scripts, which Windows cannot run',
      remedy: 'run the tests in the Windows Subsystem for Linux',
    });
  }
  const scripts = assetScripts(program);
  const cache = env['XDG_CACHE_HOME'] || (homeDirectory === undefined ? tmpdir() : join(homeDirectory, '.cache'));
  const hash = createHash('sha256')
    .update(JSON.stringify([version, scripts]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(cache, 'kubewright', 'assets', hash);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(scripts)) {
    // The file is replaced atomically, because another test run may start the program at the same time.
    const draft = join(folder, `.${name}.${process.pid}`);
    writeFileSync(draft, text, { mode: 0o755 });
    renameSync(draft, join(folder, name));
  }
  reporter.result({ assets: folder }, `${folder}\n`);
}

/** Returns the shell scripts by program name. `exec` replaces the shell, so signals reach the server itself. */
function assetScripts(program: readonly string[]): Readonly<Record<string, string>> {
  const command = program.map(shellWord).join(' ');
  // Help is part of the script: envtest requests it before each start.
  const server = (name: string, help: string): string =>
    `#!/bin/sh\nif [ "$1" = --help ]; then\n  cat <<'END'\n${help}END\n  exit\nfi\nexec ${command} asset ${name} "$@"\n`;
  return {
    etcd: server('etcd', etcdHelp()),
    'kube-apiserver': server('kube-apiserver', apiServerHelp()),
    kubectl: kubectlScript,
  };
}

/** Runs the first other kubectl on the user's PATH. */
const kubectlScript = `#!/bin/sh
own=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
IFS=:
for folder in $PATH; do
  [ -x "$folder/kubectl" ] || continue
  [ "$(CDPATH= cd -- "$folder" && pwd -P)" = "$own" ] && continue
  unset IFS
  exec "$folder/kubectl" "$@"
done
echo 'kubectl is not installed; install it, or set TEST_ASSET_KUBECTL' >&2
exit 127
`;
