/** Describes a failed connection in one line: `connect ECONNREFUSED 127.0.0.1:5000`. */
export function networkReason(error: unknown): string {
  // If a host has several addresses, the error contains one error per address and has no message.
  const errors = error instanceof AggregateError ? error.errors : [error];
  const messages = errors.map((one: unknown) => (one instanceof Error ? one.message : String(one)));
  return [...new Set(messages)].join('; ');
}
