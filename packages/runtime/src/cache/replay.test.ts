import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ObjectEvent } from '../handler/events.ts';
import { BusyClock } from '../testdata/busy-clock.ts';
import { DecodedView } from './decoded-view.ts';
import { Replay } from './replay.ts';

type View = DecodedView<KubernetesObject>;

function view(name: string, resourceVersion = '1'): View {
  return new DecodedView<KubernetesObject>({ apiVersion: 'v1', kind: 'Pod', metadata: { name, resourceVersion } });
}

/** Sets up a replay to a handler that takes 1 ms per event, so that each slice has five objects. */
function setUp(count: number) {
  const clock = new BusyClock(new VirtualClock());
  const present = Array.from({ length: count }, (_, index) => view(`p${index}`));
  const current = new Set<unknown>(present);
  const seen: string[] = [];
  const replay = new Replay<KubernetesObject>({
    clock,
    present,
    isCurrent: (object) => current.has(object),
    notify: (event: ObjectEvent<KubernetesObject>) => {
      clock.work(1);
      const listed = event.type === 'create' && event.isInInitialList ? ' listed' : '';
      seen.push(`${event.type} ${event.object.name}@${event.object.resourceVersion}${listed}`);
    },
  });
  const change = (old: View, object: View): void => {
    current.delete(old);
    current.add(object);
    replay.notify({ type: 'update', old, object });
  };
  return { present, current, seen, replay, change };
}

describe('Replay', () => {
  it('shows everything in one turn if that is fast', async () => {
    const { seen, replay } = setUp(3);
    expect(seen).toEqual(['create p0@1 listed', 'create p1@1 listed', 'create p2@1 listed']);
    await replay.done;
    expect(seen).toHaveLength(3);
  });

  it('yields to the event loop between slices', async () => {
    const { seen, replay } = setUp(23);
    const counts = [seen.length];
    let isDone = false;
    void replay.done.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise(setImmediate);
      counts.push(seen.length);
    }
    expect(counts.slice(0, 5)).toEqual([5, 10, 15, 20, 23]);
  });

  it('delivers a change immediately, as a creation if the object was not shown yet, and shows nothing twice', async () => {
    const { present, seen, replay, change } = setUp(12);
    seen.splice(0);
    change(present[0]!, view('p0', '2'));
    const newer = view('p9', '2');
    change(present[9]!, newer);
    change(newer, view('p9', '3'));
    expect(seen.splice(0)).toEqual(['update p0@2', 'create p9@2', 'update p9@3']);
    await replay.done;
    expect(seen.filter((each) => each.includes('p9') || each.includes('p0'))).toEqual([]);
    expect(seen).toHaveLength(6);
  });

  it('skips an object deleted during the replay and delivers its deletion', async () => {
    const { present, current, seen, replay } = setUp(12);
    const [, , , , , , , , , , last] = present;
    current.delete(last);
    replay.notify({ type: 'delete', object: last!, deleteStateUnknown: false });
    await replay.done;
    expect(seen.filter((each) => each.includes('p10'))).toEqual(['delete p10@1']);
  });

  it('drops a resync of an object that the replay has yet to show', async () => {
    const { present, seen, replay } = setUp(12);
    seen.splice(0);
    replay.notify({ type: 'update', old: present[10]!, object: present[10]! });
    replay.notify({ type: 'update', old: present[0]!, object: present[0]! });
    expect(seen).toEqual(['update p0@1']);
    await replay.done;
    expect(seen.filter((each) => each.includes('p10'))).toEqual(['create p10@1 listed']);
  });

  it('stops when disposed', async () => {
    const { seen, replay } = setUp(50);
    replay[Symbol.dispose]();
    await replay.done;
    expect(seen).toHaveLength(5);
  });
});
