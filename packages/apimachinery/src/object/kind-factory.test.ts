import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { ConfigMap, Pod } from '../generated/core-v1.ts';

describe('kindFactory', () => {
  it('creates objects with apiVersion and kind first', () => {
    const config = ConfigMap({ metadata: { name: 'a' }, data: { x: 'y' } });
    expect(Object.entries(config)).toEqual([
      ['apiVersion', 'v1'],
      ['kind', 'ConfigMap'],
      ['metadata', { name: 'a' }],
      ['data', { x: 'y' }],
    ]);
  });

  it('keeps the type if the argument has an undefined one', () => {
    const init = { apiVersion: undefined, kind: undefined, metadata: { name: 'a' } };
    expect(ConfigMap(init)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  });

  it('describes its kind, as an object and as JSON', () => {
    const description = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
    expect({ ...Pod }).toEqual(description);
    expect(JSON.parse(JSON.stringify({ for: Pod }))).toEqual({ for: description });
    expect(Pod.name).toBe('Pod');
    expect(Object.isFrozen(Pod)).toBe(true);
  });

  it('rejects type, status and unknown fields', () => {
    // @ts-expect-error the server sets the status
    Pod({ metadata: {}, status: { phase: 'Running' } });
    // @ts-expect-error unknown field
    ConfigMap({ metadata: {}, datum: {} });
    // @ts-expect-error the factory sets the type
    expect(() => ConfigMap({ apiVersion: 'v2', metadata: {} })).toThrow(
      'creates objects of kind ConfigMap of v1, got ConfigMap of v2',
    );
  });

  it('keeps kinds that a program does not use out of its bundle', async () => {
    const stdin = {
      contents:
        "import { ConfigMap } from '@kubewright/apimachinery/core/v1'; console.log(ConfigMap({ metadata: {} }));",
      resolveDir: import.meta.dirname,
    };
    const conditions = ['kubewright-source'];
    const { outputFiles } = await build({ stdin, conditions, bundle: true, write: false, format: 'esm' });
    const text = outputFiles[0]?.text;
    expect(text).toContain('configmaps');
    expect(text).not.toContain('replicationcontrollers');
  });
});
