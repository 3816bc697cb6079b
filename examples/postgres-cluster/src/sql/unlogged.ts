/**
 * Settings under which the server does not log statements, even if they fail. Used for statements that set a password,
 * because they contain its verifier. Only superusers can change these settings.
 */
export const unlogged: readonly string[] = [
  'SET log_statement = none',
  'SET log_min_duration_statement = -1',
  'SET log_min_duration_sample = -1',
  'SET log_transaction_sample_rate = 0',
  'SET log_min_error_statement = panic',
];
