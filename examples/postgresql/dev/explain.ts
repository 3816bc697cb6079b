import type { ContainerStatus } from '@kubewright/apimachinery/core/v1';

/**
 * Sets a node's message (`what: why; what to do`) in three lines, as every error of this program is told. A message of
 * another form stays in one piece.
 */
export function explain(subject: string, message: string): string {
  const match = /^(.*?): (.*); (.*)$/s.exec(message);
  if (!match)
    return `${subject} waits\n  why: ${message}\n  do: see kubectl describe pod ${subject} and kubectl logs ${subject}\n`;
  const [, what, why, remedy] = match;
  return `${subject} waits: ${what}\n  why: ${why}\n  do: ${remedy}\n`;
}

/** Says of a container that ends again and again how it ended, and shows the end of its log. */
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
    '  do: mend what it names, then start again; PG_BIN says which PostgreSQL programs are taken',
    '',
  ].join('\n');
}
