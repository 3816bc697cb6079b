import { describe, expect, it } from 'vitest';
import { explain, explainCrash } from './explain.ts';

describe('explain', () => {
  it('prints what failed, why, and what to do on separate lines', () => {
    const text = explain('db', 'image "postgres:17" cannot run here: there are no programs; install them: now');
    expect(text).toBe(
      'db is waiting: image "postgres:17" cannot run here\n  why: there are no programs\n  fix: install them: now\n',
    );
  });

  it('keeps a message in another form in one piece', () => {
    expect(explain('db', 'backoff')).toBe(
      'db is waiting\n  why: backoff\n  fix: check kubectl describe pod db and kubectl logs db\n',
    );
  });
});

describe('explainCrash', () => {
  it('reports how a container exited, with the end of its log', () => {
    const terminated = { exitCode: 3, reason: 'Error' };
    const container = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 2, lastState: { terminated } };
    expect(explainCrash('db', { container, log: 'starting\nFATAL: no\n' }).split('\n').slice(0, 5)).toEqual([
      'db keeps crashing: container c exited with code 3',
      '  why: the log of the container ends with',
      '    | starting',
      '    | FATAL: no',
      expect.stringMatching(/^ {2}fix: /),
    ]);
    const killed = { ...container, lastState: { terminated: { exitCode: 137, signal: 9 } } };
    expect(explainCrash('db', { container: killed, log: '' })).toMatch(
      /signal 9\n {2}why: the log of the container is empty\n {2}fix: /,
    );
  });
});
