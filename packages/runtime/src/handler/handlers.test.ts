import type { KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { DecodedView } from '../cache/decoded-view.ts';
import {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  not,
  or,
  resourceVersionChanged,
} from '../predicate/index.ts';
import { enqueueForObject } from './enqueue-for-object.ts';
import { enqueueForOwner } from './enqueue-for-owner.ts';
import { enqueueMapped } from './enqueue-mapped.ts';
import type { EventHandler } from './event-handler.ts';
import type { ObjectEvent, UpdateEvent } from './events.ts';

const Owner = { group: 'example.com', version: 'v1', kind: 'Owner', plural: 'owners', scope: 'Namespaced' } as const;

function view(metadata: Record<string, unknown> = {}): DecodedView<KubernetesObject> {
  return new DecodedView<KubernetesObject>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'n', uid: 'u', ...metadata },
  });
}

function reference(name: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return { apiVersion: 'example.com/v2', kind: 'Owner', name, uid: `uid-${name}`, controller: true, ...extra };
}

function requests(
  handler: EventHandler<KubernetesObject>,
  event: ObjectEvent<KubernetesObject>,
  uid?: string,
): string[] {
  const got: string[] = [];
  handler(event, {
    primary: Owner,
    primaryUid: () => uid,
    enqueue: (request, options) =>
      void got.push(`${request.namespace ?? ''}/${request.name}@${options?.priority ?? 0}`),
  });
  return got;
}

const create = (object: DecodedView<KubernetesObject>, isInInitialList = false): ObjectEvent<KubernetesObject> => ({
  type: 'create',
  object,
  isInInitialList,
});
const update = (
  old: DecodedView<KubernetesObject>,
  object: DecodedView<KubernetesObject>,
): UpdateEvent<KubernetesObject> => ({ type: 'update', old, object });

describe('handlers', () => {
  it('enqueue the object, with low priority at the start', () => {
    expect(requests(enqueueForObject(), create(view()))).toEqual(['n/a@0']);
    expect(requests(enqueueForObject(), create(view(), true))).toEqual(['n/a@-100']);
  });

  it('enqueue the controlling owner by group and kind, and not an earlier one of its name', () => {
    const ownerReferences = [
      reference('x'),
      reference('y', { controller: false }),
      reference('z', { apiVersion: 'other/v1' }),
      reference('w', { kind: 'Else' }),
    ];
    const handler = enqueueForOwner<KubernetesObject>(Owner);
    expect(requests(handler, create(view({ ownerReferences })))).toEqual(['n/x@0']);
    expect(requests(handler, create(view({ ownerReferences })), 'uid-x')).toEqual(['n/x@0']);
    expect(requests(handler, create(view({ ownerReferences })), 'uid-new')).toEqual([]);
    expect(requests(enqueueForOwner(Owner, { matchEveryOwner: true }), create(view({ ownerReferences })))).toEqual([
      'n/x@0',
      'n/y@0',
    ]);
    expect(requests(enqueueForOwner({ ...Owner, scope: 'Cluster' }), create(view({ ownerReferences })))).toEqual([
      '/x@0',
    ]);
  });

  it('enqueue old and new owners of an update', () => {
    const event = update(view({ ownerReferences: [reference('old')] }), view({ ownerReferences: [reference('new')] }));
    expect(requests(enqueueForOwner(Owner), event)).toEqual(['n/old@0', 'n/new@0']);
    expect(
      requests(
        enqueueMapped((each) => [{ name: each.name }]),
        event,
      ),
    ).toEqual(['/a@0']);
  });
});

describe('predicates', () => {
  const before = view({ generation: 1, labels: { a: '1' }, annotations: { x: '1' }, resourceVersion: '1' });
  const same = update(
    before,
    view({ generation: 1, labels: { a: '1' }, annotations: { x: '1' }, resourceVersion: '1' }),
  );
  const changed = update(
    before,
    view({ generation: 2, labels: { b: '1' }, annotations: { x: '2' }, resourceVersion: '2' }),
  );

  it.each([
    ['generationChanged', generationChanged()],
    ['labelChanged', labelChanged()],
    ['annotationChanged', annotationChanged()],
    ['resourceVersionChanged', resourceVersionChanged()],
  ])('%s lets through what changed, and every create', (_name, predicate) => {
    expect([predicate(same), predicate(changed), predicate(create(view()))]).toEqual([false, true, true]);
  });

  it('combine', () => {
    const yes = (): boolean => true;
    expect(and(yes, not(yes))(same)).toBe(false);
    expect(or(not(yes), yes)(same)).toBe(true);
    expect(and()(same)).toBe(true);
    expect(or()(same)).toBe(false);
  });
});
