import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import { addClusterAssets } from './cluster/assets.ts';
import { addClusterDelete } from './cluster/delete.ts';
import { addClusterDown } from './cluster/down.ts';
import { addClusterExpose } from './cluster/expose.ts';
import { addClusterKubeconfig } from './cluster/kubeconfig.ts';
import { addClusterList } from './cluster/list.ts';
import { addClusterRestore } from './cluster/restore.ts';
import { addClusterSnapshot } from './cluster/snapshot.ts';
import { addClusterStatus } from './cluster/status.ts';
import { addClusterUp } from './cluster/up.ts';

/**
 * Adds `cluster …`, the commands for the embedded clusters of a folder. Each folder has its own cluster, and named clusters on
 * request.
 */
export function addCluster(program: Command, context: Context): void {
  const cluster = program.command('cluster').description('manage the embedded clusters of this folder');
  addClusterUp(cluster, context);
  addClusterDown(cluster, context);
  addClusterStatus(cluster, context);
  addClusterKubeconfig(cluster, context);
  addClusterExpose(cluster, context);
  addClusterDelete(cluster, context);
  addClusterList(cluster, context);
  addClusterSnapshot(cluster, context);
  addClusterRestore(cluster, context);
  addClusterAssets(cluster, context);
}
