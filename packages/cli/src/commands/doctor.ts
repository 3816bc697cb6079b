import type { Command } from 'commander';
import type { Finding } from '../doctor/examine.ts';
import type { Context } from '../program/context.ts';

/** Adds `doctor`, which checks the environment: Node, kubectl, kubeconfig, ports, folder. */
export function addDoctor(program: Command, context: Context): void {
  const { reporter, surroundings } = context;
  program
    .command('doctor')
    .description('look at what is needed: Node, kubectl, kubeconfig, a free port, the folder')
    .option('--kubeconfig <FILE>', 'look at this kubeconfig')
    .option('--context <NAME>', 'context in the kubeconfig')
    .action(async (options: { readonly kubeconfig?: string; readonly context?: string }) => {
      const { examine } = await import('../doctor/examine.ts');
      const findings = await examine(surroundings, options);
      reporter.result({ findings }, findings.map(line).join(''));
      if (findings.some(({ state }) => state === 'bad')) context.exitWith(3);
    });
}

const signs = { good: '✓', note: '-', bad: '✗' } as const;

function line({ subject, state, text, remedy }: Finding): string {
  const first = `${signs[state]} ${subject.padEnd(12)} ${text}\n`;
  return remedy === undefined ? first : `${first}${' '.repeat(15)}fix: ${remedy}\n`;
}
