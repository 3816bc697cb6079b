import type { ContainerStatus } from '@kubewright/apimachinery/core/v1';

/**
 * Formats a message of a node (`what: why; what to do`) as three lines, like every error of this program. Messages in another
 * form are not split.
 */
export function explain(subject: string, message: string): string {
  const match = /^(.*?): (.*); (.*)$/s.exec(message);
  if (!match)
    return `${subject} is waiting\n  why: ${message}\n  fix: check kubectl describe pod ${subject} and kubectl logs ${subject}\n`;
  const [, what, why, remedy] = match;
  return `${subject} is waiting: ${what}\n  why: ${why}\n  fix: ${remedy}\n`;
}

/** Describes how a crash-looping container last ended, with the end of its log. */
export function explainCrash(
  subject: string,
  { container, log }: { readonly container: ContainerStatus | undefined; readonly log: string },
): string {
  const { exitCode, signal } = container?.lastState?.terminated ?? container?.state?.terminated ?? {};
  const how = signal ? `was killed by signal ${signal}` : `exited with code ${exitCode ?? 'unknown'}`;
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const why = lines.length === 0 ? 'the log of the container is empty' : 'the log of the container ends with';
  return [
    `${subject} keeps crashing: container ${container?.name ?? ''} ${how}`,
    `  why: ${why}`,
    ...lines.map((line) => `    | ${line}`),
    '  fix: resolve the problem shown above, then restart; to use other PostgreSQL programs, set PG_BIN',
    '',
  ].join('\n');
}
