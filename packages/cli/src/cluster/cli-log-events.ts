/** Values of the log field `event` that the command line adds to those of the cluster and the operator. */
export const cliLogEvents = {
  /** An event of the audit log is lost. */
  auditNotWritten: 'audit.not-written',
  /** An error that no component of the cluster caught. */
  errorUnhandled: 'component.error-unhandled',
} as const;
