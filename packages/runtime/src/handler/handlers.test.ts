import type { KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { DecodedView } from '../cache/decoded-view.ts';
import {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  labelsMatch,
  not,
  objectMatches,
  or,
  predicateFuncs,
  resourceVersionChanged,
} from '../predicate/index.ts';
import { enqueueForObject, enqueueForOwner, enqueueMapped } from './enqueue.ts';
import type { EventHandler } from './event-handler.ts';
import { withPriority } from './event-priority.ts';
import type { ObjectEvent, UpdateEvent } from './events.ts';
import { handlerFuncs } from './handler-funcs.ts';

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
  it('enqueue the object, with low priority at startup', () => {
    expect(requests(enqueueForObject(), create(view()))).toEqual(['n/a@0']);
    expect(requests(enqueueForObject(), create(view(), true))).toEqual(['n/a@-100']);
  });

  it('enqueue the controlling owner by group and kind, but not an earlier owner of the same name', () => {
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

  it('enqueue the current owner when a child of an earlier owner of the same name is deleted', () => {
    const object = view({ ownerReferences: [reference('x')] });
    const gone: ObjectEvent<KubernetesObject> = { type: 'delete', object, deleteStateUnknown: false };
    expect(requests(enqueueForOwner(Owner), gone, 'uid-new')).toEqual(['n/x@0']);
  });

  it('enqueue the old and new owners of an update', () => {
    const event = update(view({ ownerReferences: [reference('old')] }), view({ ownerReferences: [reference('new')] }));
    expect(requests(enqueueForOwner(Owner), event)).toEqual(['n/old@0', 'n/new@0']);
    expect(
      requests(
        enqueueMapped((each) => [{ name: each.name }]),
        event,
      ),
    ).toEqual(['/a@0']);
  });

  it("keep replays at low priority, whatever the handler's priority", () => {
    const version = view({ resourceVersion: '7', ownerReferences: [reference('x')] });
    const replay = update(version, version);
    const handlers = [enqueueForObject(), enqueueForOwner(Owner), enqueueMapped(() => [{ name: 'm' }])];
    for (const handler of handlers) {
      expect(requests(handler, replay)[0]).toMatch(/@-100$/);
      expect(requests(withPriority(5, handler), replay)[0]).toMatch(/@-100$/);
      expect(requests(withPriority(5, handler), create(version))[0]).toMatch(/@5$/);
    }
  });

  it('can be composed of one function per event type', () => {
    const handler = handlerFuncs<KubernetesObject>({
      create: (event, context) => context.enqueue({ name: `new-${event.object.name}` }),
      update: (event, context) => context.enqueue({ name: `was-${event.old.uid}` }),
    });
    expect(requests(handler, create(view()))).toEqual(['/new-a@0']);
    expect(requests(handler, update(view(), view()))).toEqual(['/was-u@0']);
    expect(requests(handler, { type: 'delete', object: view(), deleteStateUnknown: false })).toEqual([]);
    expect(requests(handler, { type: 'generic', object: view() })).toEqual([]);
  });

  it('enqueue each key once per event', () => {
    const both = view({ ownerReferences: [reference('x'), reference('x')] });
    expect(requests(enqueueForOwner(Owner), update(both, both))).toEqual(['n/x@0']);
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
  ])('%s passes changes and every create', (_name, predicate) => {
    expect([predicate(same), predicate(changed), predicate(create(view()))]).toEqual([false, true, true]);
  });

  it('can be combined', () => {
    const yes = (): boolean => true;
    expect(and(yes, not(yes))(same)).toBe(false);
    expect(or(not(yes), yes)(same)).toBe(true);
    expect(and()(same)).toBe(true);
    expect(or()(same)).toBe(false);
  });

  it('can differ by event type', () => {
    const predicate = predicateFuncs<KubernetesObject>({
      create: () => false,
      update: (event) => event.old.uid === 'x',
    });
    const gone: ObjectEvent<KubernetesObject> = { type: 'delete', object: view(), deleteStateUnknown: false };
    expect([
      predicate(create(view())),
      predicate(same),
      predicate(gone),
      predicate({ type: 'generic', object: view() }),
    ]).toEqual([false, false, true, true]);
  });

  it('select by labels and pass objects that no longer match', () => {
    const predicate = labelsMatch<KubernetesObject>({ matchLabels: { a: '1' } });
    expect([predicate(create(view({ labels: { a: '1' } }))), predicate(create(view()))]).toEqual([true, false]);
    expect([predicate(changed), labelsMatch('b')(changed), labelsMatch('c')(changed)]).toEqual([true, true, false]);
    // Upstream looks only at the new object, so a handler never learns that an object has stopped matching.
    const upstream = (event: UpdateEvent<KubernetesObject>): boolean => event.object.labels['a'] === '1';
    expect(upstream(changed)).toBe(false);
    expect(objectMatches<KubernetesObject>((object) => object.generation === 2)(changed)).toBe(true);
  });
});
