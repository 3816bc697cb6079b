import { openSync, readFileSync, writeSync } from 'node:fs';
import type { EmbeddedClusterOptions } from '@kubewright/controlplane';
import { parse } from 'yaml';
import { CliError } from '../program/cli-error.ts';

/**
 * Opens an audit log for appending, with one event per line. Only this user can read the file. Writes block, like those of
 * kube-apiserver by default (`--audit-log-mode=blocking`), so no event is lost when the cluster is killed.
 *
 * @throws CliError KW7205 if the policy cannot be read
 */
export function openAuditLog({
  policyFile,
  logFile,
  onError,
}: {
  readonly policyFile: string;
  readonly logFile: string;
  /** Called with each failed write; the event is lost. */
  readonly onError: (error: unknown) => void;
}): NonNullable<NonNullable<EmbeddedClusterOptions['server']>['auditLog']> {
  const policy = readPolicy(policyFile);
  const file = openSync(logFile, 'a', 0o600);
  return {
    policy,
    write(event) {
      try {
        writeSync(file, `${JSON.stringify(event)}\n`);
      } catch (error) {
        onError(error);
      }
    },
  };
}

function readPolicy(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CliError(
      'KW7205',
      {
        what: `cannot read the audit policy ${file}`,
        why: cause instanceof Error ? cause.message : String(cause),
        remedy: 'specify a file that contains a Policy of audit.k8s.io/v1',
      },
      { cause },
    );
  }
}
