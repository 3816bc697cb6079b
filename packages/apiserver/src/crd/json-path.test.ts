import { describe, expect, it } from 'vitest';
import { compileJsonPath, JsonPathError } from './json-path.ts';

describe('compileJsonPath', () => {
  const object = {
    metadata: { name: 'x', annotations: { 'example.com/a': '1' } },
    spec: {
      list: [1, 2, 3],
      items: [
        { n: 'a', v: 1 },
        { n: 'b', v: 2 },
      ],
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Done', status: 'False' },
      ],
    },
  };
  it.each([
    ['.metadata.name', ['x']],
    ['.spec.list', [[1, 2, 3]]],
    ['.spec.list[0]', [1]],
    ['.spec.list[-1]', [3]],
    ['.spec.items[*].n', ['a', 'b']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Done')].status", ['False']],
    ['.status.conditions[?(@.status!="True")].type', ['Done']],
    ['.metadata.annotations.example\\.com/a', ['1']],
    ['.spec.items.*.n', ['a', 'b']],
    ["['metadata'].name", ['x']],
    [".metadata.annotations['example.com/a']", ['1']],
    ['.spec.none.below', []],
    ['.constructor.name', []],
  ])('reads %s', (path, expected) => {
    expect(compileJsonPath(path).read(object)).toEqual(expected);
  });

  it('rejects an invalid path with its position', () => {
    expect(() => compileJsonPath('.spec[?(@.x')).toThrow(JsonPathError);
    expect(() => compileJsonPath('.spec[?(@.x')).toThrow(
      'invalid JSON path ".spec[?(@.x": unexpected text at character 6',
    );
  });
});
