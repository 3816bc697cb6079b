/**
 * Settings under which the server does not log statements, even if they fail. A statement that sets a password contains the
 * verifier of the password. Only superusers may change them.
 */
export const unlogged: readonly string[] = [
  'SET log_statement = none',
  'SET log_min_duration_statement = -1',
  'SET log_min_duration_sample = -1',
  'SET log_transaction_sample_rate = 0',
  'SET log_min_error_statement = panic',
];
