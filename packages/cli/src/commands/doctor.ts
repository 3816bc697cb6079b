import type { Command } from 'commander';
import type { DoctorOptions } from '../doctor/doctor.ts';
import type { Context } from '../program/context.ts';

/** Adds `doctor`, which checks the environment: Node, kubectl, kubeconfig, ports, folder. */
export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('check the environment: Node.js, kubectl, kubeconfig, ports and this folder')
    .option('--kubeconfig <FILE>', 'kubeconfig to check')
    .option('--context <NAME>', 'kubeconfig context')
    .action(async (options: DoctorOptions) => (await import('../doctor/doctor.ts')).doctor(context, options));
}
