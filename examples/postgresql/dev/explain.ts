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
