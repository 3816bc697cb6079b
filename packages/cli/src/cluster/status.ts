import { readFileSync } from 'node:fs';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import type { Context } from '../program/context.ts';
import { type ClusterName, StateFolder } from './state-folder.ts';

/** Prints the status of a cluster in this folder. @throws CliError KW7201 if it is not running */
export async function status({ environment, reporter }: Context, { name }: ClusterName): Promise<void> {
  const note = new StateFolder(environment.cwd, name).requireRunning();
  const { kubeconfig, url, pid } = note;
  const { clock, signal } = environment;
  await using client = clientFromConfig(await loadClientConfig({ kubeconfig }), { clock });
  const { gitVersion } = await client.discovery.serverVersion({ signal });
  const nodes = (await client.resource(Node).list({ signal })).items.map(({ metadata }) => metadata.name);
  const pods = (await client.resource(Pod).list({ signal })).items;
  const running = pods.filter(({ status: { phase } = {} }) => phase === 'Running').length;
  const lines = [
    ['cluster', `${url} (pid ${pid})`],
    ['kubernetes', gitVersion],
    ['nodes', nodes.join(', ')],
    ['pods', `${running} of ${pods.length} running`],
    ['kubeconfig', kubeconfig],
  ].map(([name = '', value]) => `${name.padEnd(11)} ${value}\n`);
  const record = { ...note, kubernetes: gitVersion, nodes, pods: { running, all: pods.length } };
  reporter.result({ cluster: record }, lines.join(''));
}

/** Flags of `cluster kubeconfig`. */
export interface KubeconfigOptions extends ClusterName {
  /** Prints the content. */
  readonly raw?: boolean | undefined;
}

/** Prints the path of the kubeconfig, or its content. */
export function kubeconfig({ environment, reporter }: Context, { name, raw = false }: KubeconfigOptions): void {
  const { kubeconfig: path } = new StateFolder(environment.cwd, name).requireRunning();
  if (raw) {
    const text = readFileSync(path, 'utf8');
    reporter.result({ kubeconfig: text }, text);
  } else reporter.result({ kubeconfig: path }, `${path}\n`);
}
