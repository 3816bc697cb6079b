import type { Context } from '../program/context.ts';
import { type ClusterChoice, examine, type Finding } from './examine.ts';

/** Flags of `doctor`. */
export type DoctorOptions = ClusterChoice;

/** Checks what every command depends on and prints the findings. Exits with code 3 if something is missing. */
export async function doctor(context: Context, options: DoctorOptions): Promise<void> {
  const { reporter, environment } = context;
  const findings = await examine(environment, options);
  reporter.result({ findings }, findings.map(line).join(''));
  if (findings.some(({ state }) => state === 'bad')) context.exitWith(3);
}

const signs = { good: '✓', note: '-', bad: '✗' } as const;

function line({ subject, state, text, remedy }: Finding): string {
  const first = `${signs[state]} ${subject.padEnd(12)} ${text}\n`;
  return remedy === undefined ? first : `${first}${' '.repeat(15)}fix: ${remedy}\n`;
}
