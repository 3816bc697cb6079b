import { describe, expect, it } from 'vitest';
import { ExpressionChecker } from './expression-checker.ts';

describe('ExpressionChecker', () => {
  it('gives each variable the type of its expression', () => {
    const checker = new ExpressionChecker({ params: false });
    expect(checker.declare({ name: 'replicas', expression: 'object.spec.replicas' })).toBeUndefined();
    expect(checker.declare({ name: 'isOdd', expression: 'variables.replicas % 2 == 1' })).toBeUndefined();
    expect(checker.fault('variables.isOdd', ['bool'])).toBeUndefined();
    expect(checker.fault('variables.replicas', ['bool'])).toBe('must evaluate to bool but got dyn');
    expect(checker.fault('variables.isOdd', ['string', 'null_type'])).toBe(
      'must evaluate to one of [string null_type] but got bool',
    );
  });

  it('reports an invalid variable only once', () => {
    const checker = new ExpressionChecker({ params: false });
    expect(checker.declare({ name: 'broken', expression: 'object.' })).toMatch(/^compilation failed: /);
    expect(checker.fault('variables.broken > 1', ['bool'])).toBeUndefined();
  });

  it('does not know variables that are declared later', () => {
    const checker = new ExpressionChecker({ params: false });
    expect(checker.fault('variables.later', ['bool'])).toMatch(/undefined field 'later'/);
  });

  it('allows any result of a match condition to be unknown until it is evaluated', () => {
    const checker = new ExpressionChecker();
    expect(checker.fault('object.spec.enabled')).toBeUndefined();
    expect(checker.fault('1')).toBe('must evaluate to bool but got int');
  });
});
