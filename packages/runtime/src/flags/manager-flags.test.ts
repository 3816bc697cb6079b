import { describe, expect, it } from 'vitest';
import { managerFlags, managerFlagsUsage } from './manager-flags.ts';
import { FlagError } from './parse-flags.ts';

const leaderElection = { id: 'x.example.com' };

describe('managerFlags', () => {
  it('has the defaults of a kubebuilder project', () => {
    expect(managerFlags([])).toEqual({
      healthProbeBindAddress: ':8081',
      metricsBindAddress: '0',
      metricsSecurity: {},
      webhookServer: { port: 9443 },
    });
  });

  it('parses the arguments of a scaffolded deployment', () => {
    const args = [
      '--metrics-bind-address=:8443',
      '--leader-elect',
      '--health-probe-bind-address=:8082',
      '--metrics-cert-path=/tmp/k8s-metrics-server/metrics-certs',
      '--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs',
    ];
    const flags = managerFlags(args, { leaderElection });
    expect(flags).toMatchObject({ metricsBindAddress: ':8443', healthProbeBindAddress: ':8082', leaderElection });
    expect(flags.metricsSecurity?.certificates?.run).toBeTypeOf('function');
    expect(flags.webhookServer?.certificates?.run).toBeTypeOf('function');
  });

  it("configures the operator's own certificate authority and a listen address", () => {
    const args = ['--webhook-service=shop-system/shop-webhook-service', '--webhook-host=127.0.0.1', '--webhook-port=0'];
    const { webhookServer } = managerFlags(args);
    expect(webhookServer).toMatchObject({ host: '127.0.0.1', port: 0 });
    expect(webhookServer?.certificates?.run).toBeTypeOf('function');
  });

  it.each([[['--metrics-secure=false']], [['-metrics-secure=F']], [['--metrics-secure', '--metrics-secure=0']]])(
    'parses %j like Go',
    (args) => {
      expect(managerFlags(args).metricsSecurity).toBeUndefined();
    },
  );

  it('restricts caches to namespaces', () => {
    expect(managerFlags(['--namespace', 'shop, stage,shop,']).namespaces).toEqual(['shop', 'stage']);
    expect(managerFlags(['--namespace=']).namespaces).toBeUndefined();
    expect(() => managerFlags(['--namespace=shop;stage'])).toThrow(FlagError);
    expect(managerFlagsUsage()).toContain('--namespace');
  });

  it('accepts values after a space, and uses the last value of a repeated flag', () => {
    const flags = managerFlags([
      '--kubeconfig',
      'a',
      '-context',
      '-odd-',
      '--kubeconfig=b=c',
      '--webhook-port',
      '-1',
      '--',
    ]);
    expect(flags).toMatchObject({ kubeconfig: 'b=c', context: '-odd-', webhookServer: { port: -1 } });
  });

  it.each([
    [['--unknown'], 'unknown flag --unknown'],
    [['--constructor=1'], 'unknown flag --constructor'],
    [['extra'], 'cannot parse argument "extra"'],
    [['--kubeconfig'], 'requires a value'],
    [['--leader-elect=maybe'], 'true or false'],
    [['--webhook-port=-2'], 'must be a port number'],
    [['--webhook-service=shop'], 'shop-system/shop-webhook-service'],
    [['--enable-http2'], 'HTTP/1.1'],
    [['--leader-elect'], 'does not configure leader election'],
    [['--zap-log-level=loud'], 'a number greater than 0'],
    [['--zap-encoder=xml'], 'json, console'],
    [['--zap-time-encoding=epoch'], 'iso8601'],
  ])('rejects %j', (args, message) => {
    expect(() => managerFlags(args)).toThrow(FlagError);
    expect(() => managerFlags(args)).toThrow(message);
  });

  it('creates a logger only if a log flag is set', () => {
    expect(managerFlags([]).log).toBeUndefined();
    for (const args of [['--zap-devel'], ['--zap-log-level=3'], ['--zap-encoder=console', '--zap-log-level=PANIC']])
      expect(managerFlags(args).log?.info).toBeTypeOf('function');
  });

  it('lists its flags', () => {
    expect(managerFlagsUsage()).toContain(
      '--metrics-bind-address  address of /metrics; 0 disables the server (default 0)',
    );
  });
});
