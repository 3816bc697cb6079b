import { badRequest } from '@kubewright/apimachinery';
import type { RequestedStreams } from '../streaming/command-streams.ts';
import { flag } from './log-options.ts';

/**
 * Reads which streams of a command or a container a client requests (core/v1 `PodExecOptions`, `PodAttachOptions`).
 *
 * @throws StatusError 400 when it requests none.
 */
export function readCommandOptions(query: URLSearchParams): RequestedStreams {
  const [stdin, stdout, stderr, tty] = (['stdin', 'stdout', 'stderr', 'tty'] as const).map((name) => flag(query, name));
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  // A terminal has a single output.
  return { stdin: stdin ?? false, stdout: stdout ?? false, stderr: (stderr && !tty) ?? false, tty: tty ?? false };
}
