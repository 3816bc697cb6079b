import { describe, expect, it } from 'vitest';
import { explain } from './explain.ts';

describe('explain', () => {
  it('says what, why and what to do, a line each', () => {
    const text = explain('db', 'image "postgres:17" cannot run here: there are no programs; install them: now');
    expect(text).toBe(
      'db waits: image "postgres:17" cannot run here\n  why: there are no programs\n  do: install them: now\n',
    );
  });

  it('leaves another form alone', () => {
    expect(explain('db', 'back-off')).toBe(
      'db waits\n  why: back-off\n  do: see kubectl describe pod db and kubectl logs db\n',
    );
  });
});
