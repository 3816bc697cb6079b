import { describe, expect, it } from 'vitest';
import { certificates } from '../transport/testdata/tls-server.ts';
import { FileCredentials } from './file-credentials.ts';
import { fakeEnvironment } from './testdata/fake-environment.ts';

const { client, renewed } = certificates;

/** Creates credentials from `crt` and `key`; `onRead` replaces files between two reads. */
function certificateFiles(onRead: (path: string, files: Map<string, string>) => void = () => {}) {
  const environment = fakeEnvironment({ files: { crt: client.cert, key: client.key } });
  const { files, clock } = environment;
  const reported: string[] = [];
  const credentials = new FileCredentials({
    environment: {
      clock,
      readFile: async (path) => {
        const text = await environment.readFile(path);
        onRead(path, files);
        return text;
      },
    },
    cert: { file: 'crt' },
    key: { file: 'key' },
    onRenewalFailure: (error) => reported.push(error.message),
  });
  return { credentials, files, clock, reported };
}

const put = (files: Map<string, string>, pair: { readonly cert: string; readonly key: string }): void => {
  files.set('crt', pair.cert);
  files.set('key', pair.key);
};

describe('FileCredentials', () => {
  it('rereads a pair that was replaced between the reads of its two files', async () => {
    let rotating = false;
    const { credentials, clock, reported } = certificateFiles((path, files) => {
      if (rotating && path === 'crt') {
        put(files, renewed);
        rotating = false;
      }
    });
    expect(await credentials.get()).toMatchObject(client);
    await clock.advance(60_000);
    rotating = true;
    expect(await credentials.get()).toMatchObject(renewed);
    expect(reported).toEqual([]);
  });

  it('keeps the previous pair until both new files exist', async () => {
    const { credentials, files, clock, reported } = certificateFiles();
    await credentials.get();
    await clock.advance(60_000);
    files.set('key', renewed.key);
    expect(await credentials.get()).toMatchObject(client);
    expect(reported).toEqual([
      'cannot use crt and key: the key does not match the certificate; replace the certificate and the key at the same time',
    ]);
    files.set('crt', renewed.cert.slice(0, 100));
    await clock.advance(1_000);
    expect(await credentials.get()).toMatchObject(client);
    expect(reported[1]).toContain('at least one of them is not a complete PEM file');
    files.set('crt', renewed.cert);
    await clock.advance(1_000);
    expect(await credentials.get()).toMatchObject(renewed);
    expect(reported).toHaveLength(2);
  });

  it('keeps the previous pair while a file cannot be read', async () => {
    const { credentials, files, clock, reported } = certificateFiles();
    await credentials.get();
    await clock.advance(60_000);
    files.set('crt', renewed.cert);
    files.delete('key');
    expect(await credentials.get()).toMatchObject(client);
    expect(reported).toEqual(['cannot read key: file not found; check the path']);
  });

  it('names the files of a mismatched first pair, and rereads them on the next call', async () => {
    const { credentials, files } = certificateFiles();
    files.set('key', renewed.key);
    await expect(credentials.get()).rejects.toThrow('cannot use crt and key: the key does not match the certificate');
    files.set('crt', renewed.cert);
    expect(await credentials.get()).toMatchObject(renewed);
  });

  it('reads certificate and key from one file, as written by the kubelet', async () => {
    const environment = fakeEnvironment({ files: { 'current.pem': `${client.cert}${client.key}` } });
    const both = { file: 'current.pem' };
    const credentials = new FileCredentials({ environment, cert: both, key: both });
    await credentials.get();
    environment.files.set('current.pem', `${renewed.cert}${renewed.key}`);
    await environment.clock.advance(60_000);
    expect((await credentials.get()).cert).toContain(renewed.cert);
  });

  it('reports a token file that is no longer readable, and uses the last token', async () => {
    const { clock, files, readFile } = fakeEnvironment({ files: { token: 't1' } });
    const reported: string[] = [];
    const credentials = new FileCredentials({
      environment: { clock, readFile },
      token: { file: 'token' },
      onRenewalFailure: (error) => reported.push(error.message),
    });
    await credentials.get();
    await clock.advance(60_000);
    files.set('token', '');
    expect((await credentials.get()).authorization).toBe('Bearer t1');
    await clock.advance(60_000);
    files.delete('token');
    expect((await credentials.get()).authorization).toBe('Bearer t1');
    expect(reported).toEqual([
      'cannot renew the token: token file token is empty',
      'cannot read token: file not found; check the path',
    ]);
  });
});
