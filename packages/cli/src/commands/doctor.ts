import type { Command } from 'commander';
import type { DoctorOptions } from '../doctor/doctor.ts';
import type { Context } from '../program/context.ts';

/** Adds `doctor`, which checks the environment: Node, kubectl, kubeconfig, ports, folder. */
export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('look at what is needed: Node, kubectl, kubeconfig, a free port, the folder')
    .option('--kubeconfig <FILE>', 'look at this kubeconfig')
    .option('--context <NAME>', 'context in the kubeconfig')
    .action(async (options: DoctorOptions) => (await import('../doctor/doctor.ts')).doctor(context, options));
}
