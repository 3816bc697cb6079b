import { describe, expect, it, vi } from 'vitest';
import { flagHelp, flagTable } from './flag-table.ts';
import { managerFlags } from './manager-flags.ts';

const read = (...args: string[]) => managerFlags(args, { leaderElectionId: 'x.example.com' });

describe('managerFlags', () => {
  it('has the defaults of the scaffold', () => {
    const { log: _log, ...options } = read();
    expect(options).toEqual({
      healthProbeBindAddress: ':8081',
      metricsBindAddress: '0',
      metricsSecurity: {},
      webhookServer: {},
    });
  });

  it('takes one dash or two, a value with "=" or as the next word', () => {
    const options = read(
      '--leader-elect',
      '-metrics-bind-address=:8443',
      '--health-probe-bind-address',
      '0',
      '--metrics-secure=false',
      '--kubeconfig=/k',
      '--context',
      'c',
      '--namespace=a,b',
      '--webhook-port=9000',
      '--webhook-cert-path=/certs',
      '--enable-http2=false',
      '--zap-stacktrace-level=error',
    );
    expect(options).toMatchObject({
      healthProbeBindAddress: '0',
      metricsBindAddress: ':8443',
      leaderElection: { id: 'x.example.com' },
      kubeconfig: '/k',
      context: 'c',
      namespaces: ['a', 'b'],
      webhookServer: { port: 9000, certificates: expect.anything() },
    });
    expect(options).not.toHaveProperty('metricsSecurity');
    expect(read('--metrics-cert-path=/m').metricsSecurity?.certificates).toBeDefined();
    expect(read('--leader-elect=false')).not.toHaveProperty('leaderElection');
  });

  it.each([
    [['--zap-log-level=debug', '--zap-encoder=json'], { debug: true, json: true }],
    [['--zap-log-level=2', '--zap-encoder=json'], { debug: true, json: true }],
    [['--zap-log-level=error', '--zap-encoder=json'], { debug: false, json: true }],
    [['--zap-devel'], { debug: true, json: false }],
    [['--zap-encoder=console'], { debug: false, json: false }],
  ])('logs as %j says', (args, expected) => {
    const lines: string[] = [];
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      lines.push(String(text));
      return true;
    });
    try {
      const { log } = read(...args);
      log?.debug('fine');
      log?.error('bad');
    } finally {
      stderr.mockRestore();
    }
    expect(lines.some((line) => line.includes('fine'))).toBe(expected.debug);
    expect(lines.at(-1)?.startsWith('{')).toBe(expected.json);
  });

  it.each([
    [['--leader-elction'], /there is no flag --leader-elction; --help/],
    [['serve'], /there is no flag serve/],
    [['--__proto__=x'], /there is no flag/],
    [['--kubeconfig'], /--kubeconfig needs a value/],
    [['--leader-elect=maybe'], /true or false/],
    [['--webhook-port=99999'], /0 to 65535/],
    [['--zap-log-level=loud'], /not "loud"/],
    [['--zap-encoder=xml'], /not offered/],
    [['--zap-time-encoding=epoch'], /not offered/],
    [['--enable-http2'], /not offered/],
  ])('refuses %j with what to do', (args, message) => {
    expect(() => read(...args)).toThrow(message);
    expect(() => read(...args)).toThrow(expect.objectContaining({ code: 'KW3018', isHelp: false }));
  });

  it('explains every flag when asked', () => {
    expect(() => read('-h')).toThrow(expect.objectContaining({ isHelp: true }));
    for (const name of Object.keys(flagTable)) expect(flagHelp()).toContain(`--${name}`);
  });
});
