import type { Container } from '@kubewright/apimachinery/core/v1';

/** The output and exit code of a simulated container. If the exit code is undefined, the container keeps running. */
export interface PlayedRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/**
 * Simulates a container's command: `sh -c` with `echo`, `sleep` (which never ends) and `exit`; anything else keeps running
 * silently.
 */
export function playContainer({ command, args }: Pick<Container, 'command' | 'args'>): PlayedRun {
  return playCommand([...(command ?? []), ...(args ?? [])]);
}

/** Simulates a command line, as passed by `kubectl exec`. */
export function playCommand(words: readonly string[]): PlayedRun {
  const [program = '', ...rest] = words;
  if (program === 'sh' && rest[0] === '-c') return playScript(rest[1] ?? '');
  if (program === 'echo') return { stdout: `${rest.join(' ')}\n`, stderr: '', exitCode: 0 };
  if (program === 'true') return { stdout: '', stderr: '', exitCode: 0 };
  if (program === 'false') return { stdout: '', stderr: '', exitCode: 1 };
  return { stdout: '', stderr: '', exitCode: undefined };
}

function playScript(script: string): PlayedRun {
  let stdout = '';
  let stderr = '';
  for (const statement of script.split(';').map((text) => text.trim())) {
    const [word = '', ...rest] = statement.replace(/^exec /, '').split(/\s+/);
    const toStderr = rest.at(-1) === '>&2';
    const line = `${(toStderr ? rest.slice(0, -1) : rest).join(' ')}\n`;
    if (word === 'echo' && toStderr) stderr += line;
    else if (word === 'echo') stdout += line;
    else if (word === 'exit') return { stdout, stderr, exitCode: Number(rest[0] ?? 0) };
    else if (word === 'sleep') return { stdout, stderr, exitCode: undefined };
  }
  return { stdout, stderr, exitCode: 0 };
}
