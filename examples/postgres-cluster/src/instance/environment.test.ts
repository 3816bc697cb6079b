import { describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';

const env = {
  POD_NAME: 'shop-1',
  POD_UID: 'uid-1',
  POD_NAMESPACE: 'default',
  POD_IP: '127.9.0.2',
  CLUSTER_NAME: 'shop',
  PGDATA: '/var/lib/postgresql/data/pgdata',
  PGHOST: '/run/postgresql',
  SERVER_CERTIFICATES: '/certificates/server',
  REPLICATION_CERTIFICATES: '/certificates/replication',
  APP_CREDENTIALS: '/credentials/app',
};

describe('readEnvironment', () => {
  it('reads names, addresses and folders', () => {
    expect(readEnvironment(env)).toMatchObject({
      name: 'shop-1',
      podUID: 'uid-1',
      cluster: 'shop',
      socketDirectory: '/run/postgresql',
    });
  });

  it('lists all variables that are missing or invalid', () => {
    expect(() => readEnvironment({ ...env, POD_NAME: '', CLUSTER_NAME: undefined, PGHOST: 'run' })).toThrow(
      'cannot start the instance: POD_NAME is not set, CLUSTER_NAME is not set, PGHOST is not an absolute path: run',
    );
  });
});
