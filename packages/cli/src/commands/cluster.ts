import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import { addClusterDown } from './cluster/down.ts';
import { addClusterKubeconfig } from './cluster/kubeconfig.ts';
import { addClusterReset } from './cluster/reset.ts';
import { addClusterStatus } from './cluster/status.ts';
import { addClusterUp } from './cluster/up.ts';

/** Adds `cluster …`, the commands for the embedded cluster of a folder. Each folder has its own cluster. */
export function addCluster(program: Command, context: Context): void {
  const cluster = program.command('cluster').description('manage the embedded cluster of this folder');
  addClusterUp(cluster, context);
  addClusterDown(cluster, context);
  addClusterStatus(cluster, context);
  addClusterKubeconfig(cluster, context);
  addClusterReset(cluster, context);
}
