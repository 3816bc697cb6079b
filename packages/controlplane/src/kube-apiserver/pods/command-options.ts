import { badRequest } from '@kubewright/apimachinery';
import type { RequestedStreams } from '../streaming/command-streams.ts';
import { flag } from './log-options.ts';

/**
 * Parses the streams that a client requests (core/v1 `PodExecOptions`, `PodAttachOptions`).
 *
 * @throws StatusError 400 if the client requests no stream.
 */
export function readCommandOptions(query: URLSearchParams): RequestedStreams {
  const [stdin, stdout, stderr, tty] = (['stdin', 'stdout', 'stderr', 'tty'] as const).map((name) => flag(query, name));
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  // A terminal has only one output, so there is no separate stderr.
  return { stdin: stdin ?? false, stdout: stdout ?? false, stderr: (stderr && !tty) ?? false, tty: tty ?? false };
}
