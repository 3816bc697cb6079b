import { systemClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPostgresInstalled } from '../../dev/postgres-operator.ts';
import { PostgresFolder, postgresPrograms, TestServer } from '../../dev/postgres-server.ts';
import { serverProcesses } from '../instance/server/server-processes.ts';
import { withTrialServer } from './trial-server.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe.skipIf(!isPostgresInstalled)('withTrialServer (needs PostgreSQL)', () => {
  let folder: PostgresFolder;
  let data: string;
  beforeEach(() => {
    folder = new PostgresFolder();
    data = folder.make('data');
  });
  afterEach(() => folder?.[Symbol.dispose]());

  const trial = async (use: () => Promise<void>, signal = new AbortController().signal): Promise<void> => {
    const programs = postgresPrograms(folder);
    if (!programs) throw new Error('PostgreSQL is not installed');
    const socketDirectory = folder.make('s');
    new TestServer(data, programs, socketDirectory).initialize();
    const options = { programs, parameters: {}, folder: folder.path, socketDirectory, clock: systemClock, signal };
    await withTrialServer(data, options, use);
  };

  it('stops the server cleanly', async () => {
    await trial(async () => expect(await serverProcesses(data)).not.toEqual([]));
    expect(await serverProcesses(data)).toEqual([]);
  });

  it('ends the server if its use fails, and reports that failure', async () => {
    const failed = trial(async () => {
      throw new Error('the schema is invalid');
    });
    await expect(failed).rejects.toThrow('the schema is invalid');
    expect(await serverProcesses(data)).toEqual([]);
  });

  it('ends the server if the upgrade is aborted', async () => {
    const upgrade = new AbortController();
    const aborted = trial(async () => upgrade.abort(new Error('the pod is stopping')), upgrade.signal);
    await expect(aborted).rejects.toThrow('the pod is stopping');
    expect(await serverProcesses(data)).toEqual([]);
  });
});
