import { describe, expect, it } from 'vitest';
import { TerminalError } from '../reconcile/terminal-error.ts';
import { jsonLogger } from './json-logger.ts';
import { logEvents } from './log-events.ts';
import { prettyLogger } from './pretty-logger.ts';

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'n' },
  data: { password: 'hunter2' },
};
const now = (): number => Date.UTC(2026, 0, 1, 12, 30, 1, 5);

describe('jsonLogger', () => {
  it("writes controller-runtime's keys", () => {
    const lines: string[] = [];
    const log = jsonLogger({ now, destination: { write: (line) => void lines.push(line) } })
      .named('cache')
      .named('pods')
      .with({ controller: 'c' });
    log.error('it failed', { error: new Error('outer', { cause: new Error('inner') }), count: 2 });
    log.debug('not seen');
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({
      level: 'error',
      ts: '2026-01-01T12:30:01.005Z',
      logger: 'cache.pods',
      msg: 'it failed',
      controller: 'c',
      count: 2,
      error: 'outer: inner',
    });
    expect(line.stacktrace).toContain('Error: outer');
    expect(line).not.toHaveProperty('pid');
    expect(line).not.toHaveProperty('time');
  });

  it('adds the parts of a coded error, and lets fields of the caller take precedence', () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    const cause = new TerminalError({ what: 'cannot deploy', why: 'no quota', remedy: 'raise it' });
    log.error('x', { error: new Error('outer', { cause }) });
    log.error('x', { code: 7, error: cause });
    log.error('x', { error: new Error('plain') });
    const [wrapped, own, plain] = lines.map((line) => JSON.parse(line));
    expect(wrapped).toMatchObject({ code: 'KW3002', what: 'cannot deploy', why: 'no quota', remedy: 'raise it' });
    expect(own).toMatchObject({ code: 7, what: 'cannot deploy' });
    expect(plain).not.toHaveProperty('code');
    expect(plain).not.toHaveProperty('what');
  });

  it('prints objects by name, never their contents', () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    log.with({ owner: secret }).info('x', { object: secret, nested: { list: [secret] } });
    expect(lines[0]).not.toContain('hunter2');
    expect(JSON.parse(lines[0] ?? '').object).toEqual({ name: 's', namespace: 'n' });
  });
});

describe('prettyLogger', () => {
  it('hides event ids of the runtime and the parts of an error, which its message contains', () => {
    const lines: string[] = [];
    const log = prettyLogger({ now, destination: { write: (line) => void lines.push(line) } });
    const error = new TerminalError({ what: 'cannot deploy', why: 'no quota', remedy: 'raise it' });
    log.warn('x', { event: logEvents.reconcileFailed, error });
    log.info('y', { event: 'mine', remedy: 'wait' });
    expect(lines).toEqual([
      '12:30:01.005 WARN  x: TerminalError: cannot deploy: no quota; raise it code=KW3002\n',
      '12:30:01.005 INFO  y event=mine remedy=wait\n',
    ]);
  });

  it('reports that people read its output, also for derived loggers', () => {
    const options = { destination: { write() {} }, now: () => 0 };
    expect(prettyLogger(options).named('a').with({ b: 1 })).toMatchObject({ isForPeople: true });
    expect(jsonLogger(options)).toMatchObject({ isForPeople: false });
  });

  it('writes one readable line that untrusted values cannot break', () => {
    const lines: string[] = [];
    const log = prettyLogger({ now, destination: { write: (line) => void lines.push(line) } });
    log
      .with({
        controller: 'site',
        controllerKind: 'Site',
        Site: { name: 'a' },
        namespace: 'n',
        name: 'a',
        reconcileID: 'r',
      })
      .info('created\nFAKE', { page: 'x\u001b[31my' });
    expect(lines).toEqual(['12:30:01.005 INFO  site n/a created\\nFAKE page=x\\u001b[31my\n']);
  });
});
