import type { ContainerStatus } from '@kubewright/apimachinery/core/v1';

/**
 * Formats a node's message (`what: why; what to do`) as three lines, like every error of this program. Other messages stay
 * in one piece.
 */
export function explain(subject: string, message: string): string {
  const match = /^(.*?): (.*); (.*)$/s.exec(message);
  if (!match)
    return `${subject} waits\n  why: ${message}\n  fix: see kubectl describe pod ${subject} and kubectl logs ${subject}\n`;
  const [, what, why, remedy] = match;
  return `${subject} waits: ${what}\n  why: ${why}\n  fix: ${remedy}\n`;
}

/** Describes how a crash-looping container ended, with the end of its log. */
export function explainCrash(
  subject: string,
  { container, log }: { readonly container: ContainerStatus | undefined; readonly log: string },
): string {
  const { exitCode, signal } = container?.lastState?.terminated ?? container?.state?.terminated ?? {};
  const how = signal ? `was ended by signal ${signal}` : `ended with exit code ${exitCode ?? 'unknown'}`;
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const why = lines.length === 0 ? 'it wrote no log' : 'the end of its log says';
  return [
    `${subject} does not stay up: its container ${container?.name ?? ''} ${how}`,
    `  why: ${why}`,
    ...lines.map((line) => `    | ${line}`),
    '  fix: fix the problem named above, then start again; PG_BIN selects the PostgreSQL programs',
    '',
  ].join('\n');
}
