import { describe, expect, it } from 'vitest';
import { parametersRejectionReason, poolerSettings } from './pooler-settings.ts';

describe('parametersRejectionReason', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    [
      'accepts pool settings',
      { default_pool_size: '5', query_wait_timeout: '1.5', server_reset_query: 'DISCARD ALL' },
      undefined,
    ],
    ['rejects the authentication method', { auth_type: 'trust' }, 'a pooler cannot set "auth_type"'],
    ['rejects file paths', { logfile: '/x', 'pidfile ': '/x' }, 'a pooler cannot set "logfile", "pidfile "'],
    ['rejects a name that every JavaScript object has', { constructor: '1' }, 'a pooler cannot set "constructor"'],
    ['rejects a word instead of a number', { max_client_conn: 'many' }, 'max_client_conn has an invalid value: "many"'],
    [
      'rejects an unknown TLS mode',
      { client_tls_sslmode: 'verify' },
      'client_tls_sslmode has an invalid value: "verify"',
    ],
    [
      'rejects a value with a line break',
      { server_check_query: '1\nauth_type = trust' },
      'server_check_query has an invalid value',
    ],
  ])('%s', (_, parameters, why) => {
    if (why === undefined) expect(parametersRejectionReason(parameters)).toBeUndefined();
    else expect(parametersRejectionReason(parameters)).toContain(why);
  });
});

describe('poolerSettings', () => {
  it('contains the address of the Service, the parameters, and the settings that the operator fixes', () => {
    const parameters = { server_login_retry: '3', default_pool_size: '5' };
    const lines = poolerSettings({ cluster: 'shop', poolMode: 'transaction', parameters }, '10.0.0.7').split('\n');
    expect(lines.slice(0, 4)).toEqual(['[databases]', '* = host=10.0.0.7 port=5432', '', '[pgbouncer]']);
    expect(lines).toEqual(
      expect.arrayContaining([
        'auth_type = scram-sha-256',
        'client_tls_sslmode = require',
        'default_pool_size = 5',
        'pool_mode = transaction',
        'server_login_retry = 3',
        'server_tls_sslmode = verify-ca',
      ]),
    );
  });
});
