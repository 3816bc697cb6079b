import { ResourceQuota } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { QuotaIndex } from './quota-index.ts';

describe('QuotaIndex', () => {
  it('reports a resource that no quota counts any longer', () => {
    const unused: string[] = [];
    const index = new QuotaIndex((resource) => unused.push(resource));
    const observe = (type: 'create' | 'delete', name: string, hard: Record<string, string>): void => {
      const object = ResourceQuota({ metadata: { name, namespace: 'default' }, spec: { hard } });
      const event = { type, object: { namespace: 'default', name, object } };
      index.track(event as unknown as Parameters<typeof index.track>[0], {} as never);
    };
    observe('create', 'a', { 'count/configmaps': '1', secrets: '1', pods: '1' });
    observe('create', 'b', { configmaps: '1' });
    expect(index.counts('configmaps')).toBe(true);
    observe('create', 'a', { configmaps: '2' });
    expect(unused).toEqual(['secrets']);
    observe('delete', 'a', { configmaps: '2' });
    expect(unused).toEqual(['secrets']);
    observe('delete', 'b', { configmaps: '1' });
    expect(unused).toEqual(['secrets', 'configmaps']);
    expect(index.counts('configmaps')).toBe(false);
  });
});
