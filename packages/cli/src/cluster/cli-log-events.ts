/** The ids of the log records that the command line adds to those of the cluster and the operator: the field `event`. */
export const cliLogEvents = {
  /** An event of the audit log is lost. */
  auditNotWritten: 'audit.not-written',
  /** No component of the cluster caught an error. */
  errorUnhandled: 'component.error-unhandled',
} as const;
