import type { KubernetesObject, ObjectOf, Stored } from '@kubewright/apimachinery';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineKind } from '../../kind/index.ts';
import { controller, MetadataOnlyError, requestController } from './define-controller.ts';

interface WebsiteSpec {
  readonly domain: string;
}
interface WebsiteStatus {
  readonly ready?: boolean;
}
const Website = defineKind<WebsiteSpec, WebsiteStatus>({ group: 'example.com', version: 'v1', kind: 'Website' });
type Website = ObjectOf<typeof Website>;

interface Child extends KubernetesObject {
  readonly data: string;
}
const Child = defineKind<{ readonly data: string }>({ group: 'example.com', version: 'v1', kind: 'Child' });

describe('controller', () => {
  it('types the object, the status and applied children', () => {
    const definition = controller({
      for: Website,
      owns: [Child],
      finalizers: { 'example.com/cleanup': async (site) => void site.spec.domain },
      async reconcile(site, ctx) {
        expectTypeOf(site.spec.domain).toEqualTypeOf<string>();
        const childOf = (): Child => ({ apiVersion: 'example.com/v1', kind: 'Child', metadata: {}, data: '' });
        const [child, copy] = await ctx.apply([childOf(), site]);
        expectTypeOf(child).toEqualTypeOf<Stored<Child>>();
        expectTypeOf(copy).toExtend<Stored<Website>>();
        expectTypeOf(await ctx.apply(childOf())).toEqualTypeOf<Stored<Child>>();
        expectTypeOf(site.metadata.namespace).toEqualTypeOf<string>();
        expectTypeOf(site.metadata.generation).toEqualTypeOf<number>();
        await ctx.setStatus({ ready: child.data === 'x' });
        // @ts-expect-error a status has no such field
        await ctx.setStatus({ phase: 'up' });
        return { requeueAfterMs: 5_000 };
      },
    });
    expect(definition.name).toBe('website');
    expect(definition.watches.map((watch) => watch.kind.kind)).toEqual(['Website', 'Child']);
  });

  it('checks the status that "desired" returns', () => {
    const given: { readonly ready: boolean } = { ready: true };
    expect(controller({ for: Website, desired: () => ({ status: { ...given } }) }).name).toBe('website');
    controller({ for: Website, desired: ({ spec }) => (spec.domain ? { requeueAfterMs: 5 } : { status: given }) });
    // @ts-expect-error a status has no such field
    controller({ for: Website, desired: () => ({ status: { raedy: true } }) });
    // @ts-expect-error also for a value of the type any
    controller({ for: Website, desired: () => ({ status: { raedy: JSON.parse('1') } }) });
    // @ts-expect-error also if the function returns one of several states
    controller({ for: Website, desired: ({ spec }) => (spec.domain ? { status: { up: 1 } } : { requeue: true }) });
    // @ts-expect-error a field of another type
    controller({ for: Website, desired: ({ spec }) => ({ status: { ready: spec.domain } }) });
  });

  it('accepts reconciles that return nothing', () => {
    expect(controller({ for: Website, name: 'a', async reconcile() {} }).name).toBe('a');
    expect(requestController({ name: 'b', reconcile: async () => {} }).primary).toBeUndefined();
  });

  it('rejects caching only the metadata of the primary kind, and suggests alternatives', () => {
    const reconcile = async (): Promise<void> => {};
    const declare = (): unknown => controller({ for: Website, cached: { metadataOnly: true }, reconcile });
    expect(declare).toThrow(MetadataOnlyError);
    expect(declare).toThrow(/controller of Website .* remove "metadataOnly" .*requestController/);
    expect(() => controller({ for: Website, cached: { metadataOnly: false }, reconcile })).not.toThrow();
  });

  it('reports a missing kind, such as an undefined import', () => {
    const nothing = undefined as unknown as typeof Website;
    const reconcile = async (): Promise<void> => {};
    expect(() => controller({ for: nothing, owns: [Child], reconcile })).toThrow(
      /a controller needs a kind in "for": the value is missing/,
    );
    expect(() => controller({ for: nothing, name: 'web', reconcile })).toThrow(
      /the controller "web" needs a kind in "for"/,
    );
    const owning = (): unknown => controller({ for: Website, owns: [Child, nothing], reconcile });
    expect(owning).toThrow(
      /"owns" of the controller of Website contains a value that is not a kind at index 1; .*defineKind/,
    );
  });
});
