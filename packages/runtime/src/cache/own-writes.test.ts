import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { OwnWrites } from './own-writes.ts';

const key = { namespace: 'default', name: 'a' };

function object(resourceVersion: string, uid = 'u1', name = 'a'): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name, uid, resourceVersion } };
}

describe('OwnWrites', () => {
  it('answers the written version until the watch has come that far, however long that takes', async () => {
    const clock = new VirtualClock();
    const writes = new OwnWrites<KubernetesObject>(clock);
    const stored = { uid: 'u1', resourceVersion: '9' };
    writes.caughtUp('9');
    writes.wrote(object('12'), stored);
    await clock.advance(60_000);
    expect(writes.newest(key, stored)?.resourceVersion).toBe('12');
    writes.caughtUp('11');
    expect(writes.newest(key, stored)?.resourceVersion).toBe('12');
    writes.caughtUp('12');
    expect(writes.size).toBe(0);
  });

  it('shows no object that was created and deleted while the watch was away', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    writes.wrote(object('5'), undefined);
    expect(writes.newest(key, undefined)?.uid).toBe('u1');
    // The listing that follows does not hold it.
    writes.caughtUp('8');
    expect(writes.newest(key, undefined)).toBeUndefined();
  });

  it('does not bring back what was deleted before the answer to the write came', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    writes.caughtUp('6');
    writes.wrote(object('5'), undefined);
    expect(writes.newest(key, undefined)).toBeUndefined();
    writes.wrote(object('7'), undefined);
    writes.deleted(key, { uid: 'u1', stored: undefined });
    writes.wrote(object('7'), undefined);
    expect(writes.newest(key, undefined)).toBeUndefined();
  });

  it('hides a deleted object but not its successor of the same name', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    const stored = { uid: 'u1', resourceVersion: '5' };
    writes.deleted(key, { uid: 'u1', stored });
    expect(writes.newest(key, stored)).toBeUndefined();
    writes.wrote(object('8', 'u2'), stored);
    expect(writes.newest(key, stored)?.uid).toBe('u2');
    writes.seen(key, { removed: { uid: 'u1', resourceVersion: '7' } });
    expect(writes.newest(key, undefined)?.uid).toBe('u2');
    writes.seen(key, { stored: { uid: 'u2', resourceVersion: '8' } });
    expect(writes.size).toBe(0);
  });

  it('keeps nothing of deletions that the watch showed before their answer came, nor of versions without order', async () => {
    const clock = new VirtualClock();
    const writes = new OwnWrites<KubernetesObject>(clock);
    for (let i = 0; i < 1_000; i++)
      writes.deleted({ namespace: 'default', name: `n${i}` }, { uid: `u${i}`, stored: undefined });
    expect(writes.size).toBe(0);
    for (let i = 0; i < 1_000; i++) writes.wrote(object('opaque', `u${i}`, `n${i}`), undefined);
    await clock.advance(600_001);
    writes.wrote(object('opaque', 'u', 'last'), undefined);
    expect(writes.size).toBe(1);
  });
});
