import { type Command, Option } from 'commander';
import type { UpFlags } from '../../cluster/up.ts';
import type { Context } from '../../program/context.ts';
import { driverOption, nameOption, networkOption, nodeCount, portNumber } from '../options/embedded-cluster.ts';

/** Adds `cluster up`, which starts the cluster of this folder. */
export function addClusterUp(cluster: Command, context: Context): void {
  cluster
    .command('up')
    .description('start the embedded cluster of this folder; Ctrl-C stops it')
    .option('--background', 'return once the cluster runs; stop it with kubewright cluster down')
    .addOption(nameOption())
    .option(
      '--config <FILE>',
      'YAML file with settings named like these flags, such as nodes: 3; flags take precedence',
    )
    .option('--port <PORT>', 'port of the API server (default: a free port, reused on later starts)', portNumber)
    .option('--data <DIR>', 'keep objects in this folder across starts (default: in memory)')
    .addOption(
      new Option(
        '--etcd-servers <URLS>',
        'keep objects in etcd, which several API servers can share (default: in memory)',
      ).conflicts('data'),
    )
    .option('--nodes <N>', 'number of nodes', nodeCount)
    .addOption(driverOption())
    .addOption(networkOption())
    .option(
      '--components <LIST>',
      'components to run: *, controllers, scheduler, kube-proxy, coredns, metrics, nodes, foo-controller, -foo-controller',
    )
    .option('--kubeconfig <FILE>', 'also write the kubeconfig to this file')
    .option('--allow-root-pods', 'allow pods to run as UID 0')
    .option('--allow-host-programs', 'allow absolute paths of local programs as images')
    .option('--allow-host-path', 'allow pods to mount folders on this machine, as kubectl debug node/NAME does')
    .option('--audit-policy-file <FILE>', 'write an audit log according to this policy (audit.k8s.io/v1)')
    .option('--audit-log-path <FILE>', 'file of the audit log (default: audit.log in the state folder)')
    .action(async (options: UpFlags) => (await import('../../cluster/up.ts')).up(context, options));
}
