import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defineKind } from '../kind/define-kind.ts';
import { jsonLogger } from '../log/json-logger.ts';
import { UndeclaredStatusFieldError } from '../reconcile/undeclared-status-field-error.ts';
import { StatusShape } from './status-shape.ts';

const Site = defineKind({ group: 'example.com', version: 'v1', kind: 'Site' });

describe('StatusShape', () => {
  it('logs the kind and a schema to paste once per member, and omits the member', () => {
    const lines: Record<string, string>[] = [];
    const log = jsonLogger({ destination: { write: (text) => void lines.push(JSON.parse(text)) } });
    const shape = new StatusShape(Site);
    for (const member of ['observedGeneration', 'conditions']) {
      const rejection = new UndeclaredStatusFieldError(Site, {
        name: 'a',
        fields: [`.status.${member}`],
        cause: undefined,
      });
      expect(shape.learn(rejection, log)).toBe(true);
      expect(shape.learn(rejection, log)).toBe(false);
      const { level, msg, schema } = lines.at(-1) ?? {};
      expect(level).toMatch(/^warn/);
      expect(msg).toContain(`the CustomResourceDefinition of Site (example.com/v1) does not declare status.${member}`);
      expect(parse(schema ?? '')).toHaveProperty([member, 'type']);
    }
    expect(lines).toHaveLength(2);
    expect(shape.fit({ conditions: [], observedGeneration: 1, url: 'x' })).toEqual({ url: 'x' });
  });
});
