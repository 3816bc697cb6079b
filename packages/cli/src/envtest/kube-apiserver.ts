import { systemClock } from '@kubewright/apimachinery';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { version } from '../program/version.ts';
import { apiServerSettings } from './api-server-settings.ts';
import { apiServerFlags, ignoredFlags } from './kube-apiserver-flags.ts';
import { parseFlags } from './parse-flags.ts';
import type { AssetProcess } from './run-asset.ts';

/**
 * Components that run by default; `KUBEWRIGHT_COMPONENTS` overrides them. As in envtest, no controllers run: tests finalize
 * deleted namespaces themselves, which would race with a namespace controller.
 */
const defaultComponents = 'apiserver';

/** Runs the embedded API server with the flags of kube-apiserver until it is stopped. */
export async function runKubeApiServer({ args, env, stdout, stderr, stopped }: AssetProcess): Promise<void> {
  const flags = parseFlags('kube-apiserver', { args, table: apiServerFlags });
  if (flags.get('version')?.at(-1) === 'true') return void stdout.write(`Kubernetes v1.36.3+kubewright-${version}\n`);
  for (const name of flags.keys()) {
    if (ignoredFlags.has(name)) stderr.write(`kube-apiserver: --${name} has no effect on the embedded API server\n`);
  }
  const { port, server, warnings } = apiServerSettings(flags);
  for (const text of warnings) stderr.write(`kube-apiserver: ${text}\n`);
  const components = (env['KUBEWRIGHT_COMPONENTS'] || defaultComponents).split(',');
  const { prettyLogger } = await import('@kubewright/runtime');
  const log = prettyLogger({ destination: stderr, now: () => systemClock.now(), level: 'warn', colors: false });
  const cluster = await EmbeddedCluster.start({ port, server, components, log, node: {} });
  await stopped;
  await cluster.stop();
}
