import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import { version } from '../program/version.ts';

/** The Kubernetes release whose API the embedded cluster serves. */
const kubernetesVersion = '1.36';

/** Adds `version`, which prints the versions in use. */
export function addVersion(program: Command, { reporter, environment }: Context): void {
  program
    .command('version')
    .description('print the versions of Kubewright, Node and the embedded cluster')
    .action(() => {
      const node = environment.nodeVersion;
      reporter.result(
        { kubewright: version, node, kubernetes: kubernetesVersion },
        `kubewright  ${version}\nnode        ${node}\nkubernetes  ${kubernetesVersion} (embedded cluster)\n`,
      );
    });
}
