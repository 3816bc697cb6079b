import { describe, expect, it } from 'vitest';
import type { SpawnRequest, SpawnResult } from './config-environment.ts';
import { ExecCredentials } from './exec-credentials.ts';
import type { ExecEntry } from './kubeconfig.ts';
import { nodeSpawner } from './node-spawner.ts';
import { fakeEnvironment } from './testdata/fake-environment.ts';

const v1 = 'client.authentication.k8s.io/v1';
const entry = (more: Partial<ExecEntry> = {}): ExecEntry => ({
  apiVersion: v1,
  command: 'login',
  args: ['--now'],
  env: [{ name: 'REGION', value: 'eu' }],
  provideClusterInfo: false,
  interactiveMode: 'Never',
  ...more,
});
const answer = (status: object, apiVersion = v1): SpawnResult => ({
  exitCode: 0,
  stderr: '',
  stdout: JSON.stringify({ kind: 'ExecCredential', apiVersion, status }),
});

function plugin(
  answers: (request: SpawnRequest, run: number) => Promise<SpawnResult>,
  options: {
    readonly exec?: Partial<ExecEntry>;
    readonly interactive?: boolean;
    readonly cluster?: Record<string, unknown>;
  } = {},
) {
  const requests: SpawnRequest[] = [];
  const reported: string[] = [];
  const environment = fakeEnvironment({
    env: { PATH: '/bin' },
    interactive: options.interactive ?? false,
    run: (request) => answers(request, requests.push(request)),
  });
  const credentials = new ExecCredentials({
    exec: entry(options.exec),
    cluster: options.cluster,
    environment,
    onRenewalFailure: (error) => reported.push(error.message),
  });
  return { credentials, requests, reported, clock: environment.clock };
}

describe('ExecCredentials', () => {
  it('runs the plugin once for many concurrent calls, and caches the result', async () => {
    const { credentials, requests } = plugin(async (_, run) => answer({ token: `t${run}` }));
    const all = await Promise.all(Array.from({ length: 50 }, () => credentials.get()));
    expect(new Set(all.map((each) => each.authorization))).toEqual(new Set(['Bearer t1']));
    expect(await credentials.get()).toEqual({ authorization: 'Bearer t1', cert: undefined, key: undefined });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ command: 'login', args: ['--now'], env: { PATH: '/bin', REGION: 'eu' } });
  });

  it('reruns the plugin shortly before the credentials expire', async () => {
    const { credentials, requests, clock } = plugin(async (_, run) =>
      answer({ token: `t${run}`, expirationTimestamp: new Date(clock.now() + 3_600_000).toISOString() }),
    );
    await credentials.get();
    await clock.advance(3_600_000 - 60_001);
    expect((await credentials.get()).authorization).toBe('Bearer t1');
    await clock.advance(1);
    await credentials.get();
    await clock.advance(0);
    expect((await credentials.get()).authorization).toBe('Bearer t2');
    expect(requests).toHaveLength(2);
  });

  it('uses credentials until they expire while the renewal fails, and retries it with backoff', async () => {
    const { credentials, requests, reported, clock } = plugin(async (_, run) =>
      run === 1 || run > 7
        ? answer({ token: `t${run}`, expirationTimestamp: new Date(clock.now() + 3_600_000).toISOString() })
        : { exitCode: 1, stdout: '', stderr: 'the identity provider is down' },
    );
    await credentials.get();
    await clock.advance(3_600_000 - 60_000);
    for (let second = 0; second < 60; second++) {
      expect((await credentials.get()).authorization).toBe('Bearer t1');
      await clock.advance(1_000);
    }
    // The first call requests t1; renewals follow immediately and after 1, 3, 7, 15 and 31 s.
    expect(requests).toHaveLength(7);
    expect(reported).toHaveLength(6);
    expect(reported[0]).toContain('the identity provider is down');
    expect((await credentials.get()).authorization).toBe('Bearer t8');
  });

  it('fails calls if the renewal fails after the credentials have expired', async () => {
    const { credentials, reported, clock } = plugin(async (_, run) =>
      run === 1
        ? answer({ token: 't1', expirationTimestamp: new Date(clock.now() + 3_600_000).toISOString() })
        : { exitCode: 1, stdout: '', stderr: 'the identity provider is down' },
    );
    await credentials.get();
    await clock.advance(3_600_000);
    await expect(credentials.get()).rejects.toThrow('the identity provider is down');
    expect(reported).toEqual([]);
  });

  it('does not block calls on a renewal while the credentials are valid', async () => {
    const { credentials, requests, clock } = plugin((_, run) =>
      run > 1
        ? new Promise(() => {})
        : Promise.resolve(
            answer({ token: 't1', expirationTimestamp: new Date(clock.now() + 3_600_000).toISOString() }),
          ),
    );
    await credentials.get();
    await clock.advance(3_600_000 - 30_000);
    expect((await credentials.get()).authorization).toBe('Bearer t1');
    expect(requests).toHaveLength(2);
  });

  it('runs the plugin once for many calls with rejected credentials', async () => {
    const { credentials, requests } = plugin(async (_, run) => answer({ token: `t${run}` }));
    const stale = await credentials.get();
    const renewed = await Promise.all(
      Array.from({ length: 50 }, async () => {
        expect(credentials.reject(stale)).toBe(true);
        return credentials.get();
      }),
    );
    expect(new Set(renewed.map((each) => each.authorization))).toEqual(new Set(['Bearer t2']));
    expect(requests).toHaveLength(2);
  });

  it('returns certificates', async () => {
    const { credentials } = plugin(async () => answer({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }));
    expect(await credentials.get()).toEqual({ authorization: undefined, cert: 'CERT', key: 'KEY' });
  });

  it('passes cluster information only if the plugin requests it', async () => {
    const info = (request: SpawnRequest | undefined) => JSON.parse(request?.env['KUBERNETES_EXEC_INFO'] ?? '');
    const cluster = { server: 'https://x', config: { audience: 'a' } };
    const asked = plugin(async () => answer({ token: 't' }), { exec: { provideClusterInfo: true }, cluster });
    await asked.credentials.get();
    expect(info(asked.requests[0])).toEqual({
      kind: 'ExecCredential',
      apiVersion: v1,
      spec: { cluster, interactive: false },
    });
    const silent = plugin(async () => answer({ token: 't' }), { cluster });
    await silent.credentials.get();
    expect(info(silent.requests[0]).spec).toEqual({ interactive: false });
  });

  for (const [interactiveMode, terminal, expected] of [
    ['Never', true, false],
    ['Never', false, false],
    ['IfAvailable', true, true],
    ['IfAvailable', false, false],
    ['Always', true, true],
    ['Always', false, 'error'],
  ] as const) {
    it(`with interactiveMode ${interactiveMode} and ${terminal ? 'a' : 'no'} terminal: ${expected}`, async () => {
      const { credentials, requests } = plugin(async () => answer({ token: 't' }), {
        exec: { interactiveMode },
        interactive: terminal,
      });
      if (expected === 'error') {
        await expect(credentials.get()).rejects.toMatchObject({ code: 'KW2203' });
        return;
      }
      await credentials.get();
      expect(requests[0]?.interactive).toBe(expected);
    });
  }

  it('shows the install hint when the program is missing', async () => {
    const { credentials } = plugin(() => Promise.reject(Object.assign(new Error('x'), { code: 'ENOENT' })), {
      exec: { installHint: 'run: brew install login' },
    });
    await expect(credentials.get()).rejects.toThrow('run: brew install login');
  });

  it('describes an invalid result without quoting it', async () => {
    const fault = async (result: SpawnResult, exec: Partial<ExecEntry> = {}): Promise<string> => {
      const { credentials } = plugin(async () => result, { exec });
      return credentials.get().then(
        () => 'it was accepted',
        (error: Error) => error.message,
      );
    };
    expect(await fault({ exitCode: 0, stdout: 'token=hunter2', stderr: '' })).toMatch(/invalid JSON$/);
    expect(await fault(answer({ token: 't' }, 'client.authentication.k8s.io/v1beta1'))).toContain('instead of');
    expect(await fault(answer({}))).toContain('neither a token nor a certificate');
    expect(await fault(answer({ clientKeyData: 'K' }))).toContain('without a certificate');
    expect(await fault(answer({ token: 't', expirationTimestamp: 'soon' }))).toContain(
      'an invalid expirationTimestamp',
    );
    expect(await fault({ exitCode: 3, stdout: '', stderr: 'please log in' })).toContain(
      'exited with code 3: please log in',
    );
    expect(await fault(answer({ token: 't' }), { apiVersion: 'client.authentication.k8s.io/v1alpha1' })).toContain(
      'v1alpha1',
    );
    expect(await fault(answer({ token: 't' }), { interactiveMode: undefined })).toContain('interactiveMode');
  });

  it('kills a plugin that hangs, and lets the next call retry', async () => {
    const { credentials, requests, clock } = plugin((request, run) =>
      run > 1
        ? Promise.resolve(answer({ token: 't' }))
        : new Promise((resolve) =>
            request.signal.addEventListener('abort', () => resolve({ exitCode: null, stdout: '', stderr: '' })),
          ),
    );
    const failed = expect(credentials.get()).rejects.toThrow('did not exit within 60 s');
    await clock.advance(60_000);
    await failed;
    expect((await credentials.get()).authorization).toBe('Bearer t');
    expect(requests).toHaveLength(2);
  });

  it('runs a real program and returns its credentials', async () => {
    const script = `process.stdout.write(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${v1}', status: { token: process.env.REGION + JSON.parse(process.env.KUBERNETES_EXEC_INFO).kind } }))`;
    const environment = { ...fakeEnvironment(), spawner: nodeSpawner, env: process.env };
    const credentials = new ExecCredentials({
      exec: entry({ command: process.execPath, args: ['-e', script] }),
      environment,
    });
    expect((await credentials.get()).authorization).toBe('Bearer euExecCredential');
  });
});
