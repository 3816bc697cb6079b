import type { KubernetesObject } from '@kubewright/apimachinery';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { defineKind } from '../../kind/define-kind.ts';
import type { ReconcileContext } from '../../reconcile/reconcile.ts';
import { controller, knownMembers, requestController } from './define-controller.ts';

const Site = defineKind({ group: 'example.com', version: 'v1', kind: 'Site' });
const site = stored(Site({ metadata: { name: 'a' }, spec: {} }));
const context = {} as ReconcileContext<KubernetesObject>;
/** controller-runtime's field name, in code that was never type-checked. */
const wrong = { requeueAfter: 1_000 } as object;
const rejection = (whose: string): RegExp =>
  new RegExp(
    `${whose} returned an unknown property "requeueAfter"; did you mean "requeueAfterMs" \\(in milliseconds\\)\\?`,
  );

describe('knownMembers', () => {
  it('suggests the nearest member, or lists all if none is near', () => {
    const check = (result: object): unknown => knownMembers(result, 'x', 'state');
    expect(() => check({ Requeue: true })).toThrow(/"Requeue"; did you mean "requeue"\?$/);
    expect(() => check({ child: [] })).toThrow(/did you mean "children"/);
    expect(() => check(site)).toThrow(/"apiVersion"; known properties: requeueAfterMs, requeue, priority, children/);
    expect(() => knownMembers({ status: {} }, 'x', 'result')).toThrow(/"status"/);
  });

  it('accepts known members and undefined', () => {
    for (const result of [undefined, { requeue: true, requeueAfterMs: 1, priority: 2 }])
      expect(knownMembers(result, 'x', 'result')).toBe(result);
    const state = { children: [], status: {}, conditions: [], requeue: true };
    expect(knownMembers(state, 'x', 'state')).toBe(state);
  });
});

describe('controller', () => {
  it('rejects results with unknown members from each of its functions', async () => {
    const { run, finalizers } = controller({
      for: Site,
      finalizers: { 'example.com/x': async () => wrong },
      reconcile: async () => wrong,
    });
    if (run.level !== 'object' || run.desired) throw new Error('not the form that was declared');
    await expect(run.reconcile(site, context)).rejects.toThrow(rejection('the reconcile of site'));
    await expect(finalizers['example.com/x']?.(site, context)).rejects.toThrow(rejection('example.com/x of site'));
  });

  it('rejects unknown members from desired and from request reconciles', async () => {
    const { run } = controller({ for: Site, desired: () => wrong });
    if (run.level !== 'object' || !run.desired) throw new Error('not the form that was declared');
    const { desired } = run;
    const related = () => expect.unreachable();
    expect(() => desired(site, { get: () => undefined, list: () => [], related })).toThrow(
      rejection('"desired" of site'),
    );
    const byKey = requestController({ name: 'keys', reconcile: async () => wrong });
    if (byKey.run.level !== 'request') throw new Error('not the form that was declared');
    const answer = byKey.run.reconcile({ name: 'a' }, context);
    await expect(answer).rejects.toThrow(rejection('the reconcile of keys'));
  });
});
