import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { SampleDB, type SampleDBStatus } from './api/v1/sample-db.ts';
import { dumpJob, loadJob, snapshotJob } from './jobs.ts';
import { versionChange } from './version-change.ts';

describe('versionChange', () => {
  const rows: readonly (readonly [string, SampleDBStatus | undefined, object | undefined])[] = [
    ['installs the version of a new database', undefined, { from: undefined, to: '16' }],
    ['continues an installation that the spec no longer wants', { target: '15' }, { from: undefined, to: '15' }],
    ['upgrades an older database', { version: '15' }, { from: '15', to: '16' }],
    ['continues an upgrade that the spec no longer wants', { version: '14', target: '15' }, { from: '14', to: '15' }],
    ['does nothing for the current version', { version: '16' }, undefined],
  ];
  it.each(rows)('%s', (_, status, change) => {
    expect(versionChange({ spec: { version: '16' }, ...(status && { status }) })).toEqual(change);
  });
});

describe('jobs', () => {
  const change = { from: '15', to: '16' };
  const db = stored<SampleDB>({
    ...SampleDB({ metadata: { name: 'mydb' }, spec: { version: '16' } }),
    status: { version: '15' },
  });
  it('use the client programs of the version that they talk to', () => {
    const jobs = [
      loadJob(db, { from: undefined, to: '16' }),
      dumpJob(db, change),
      loadJob(db, change),
      snapshotJob(db, '15'),
    ];
    const images = jobs.map(({ metadata, spec }) => [metadata.name, spec?.template.spec?.containers[0]?.image]);
    expect(Object.fromEntries(images)).toEqual({
      'mydb-init': 'postgres:16',
      'mydb-dump-for-16': 'postgres:15',
      'mydb-upgrade-to-16': 'postgres:16',
      'mydb-snapshot': 'postgres:15',
    });
  });
});
