import { StatusError } from '@kubewright/apimachinery';
import type { CommandStatus } from '../streaming/command-streams.ts';

/** Returns the final status of a command, which ends the protocol. Mirrors the kubelet (1.36). */
export function exitStatus(exitCode: number): CommandStatus {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

/** Returns the final status if a command could not run; `what` names the failed operation. */
export function failureStatus(error: unknown, what: string): CommandStatus {
  if (error instanceof StatusError) return error.status;
  const message = error instanceof Error ? error.message : String(error);
  return { metadata: {}, status: 'Failure', reason: 'InternalError', message: `${what}: ${message}`, code: 500 };
}
