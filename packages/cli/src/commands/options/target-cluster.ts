import type { Command } from 'commander';

/** Adds the flags that select the cluster a command works on, and returns the command. */
export function addTargetCluster(command: Command): Command {
  return command
    .option('--kubeconfig <FILE>', 'kubeconfig of the cluster (default: KUBECONFIG, then the cluster of this folder)')
    .option('--context <NAME>', 'kubeconfig context');
}
