import { VirtualClock } from '@kubewright/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { pendingPod, podInfo } from '../cluster/pod-info.ts';
import type { PodEvent } from '../framework/cluster-event.ts';
import { nodeResourcesFit } from '../plugins/node-resources-fit.ts';
import { schedulingGates } from '../plugins/scheduling-gates.ts';
import { taintToleration } from '../plugins/taint-toleration.ts';
import { requesting, testPod, testView } from '../testdata/test-view.ts';
import { EventHints } from './event-hints.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const pending = (name: string, spec: Parameters<typeof testPod>[1] = {}) => pendingPod(testPod(name, spec));
const freed: PodEvent = {
  resource: 'Pod',
  action: 'Delete',
  old: podInfo(testPod('gone', { spec: { nodeName: 'n' } })),
};
const rejected = (...plugins: string[]) => ({ rejectors: new Set(plugins) });

describe('SchedulingQueue', () => {
  let clock: VirtualClock;
  let queue: SchedulingQueue;
  let ready: number;

  beforeEach(() => {
    clock = new VirtualClock();
    ready = 0;
    queue = new SchedulingQueue({
      clock,
      view: testView(),
      hints: new EventHints([schedulingGates, nodeResourcesFit, taintToleration]),
      gates: [schedulingGates],
      onReady: () => void ready++,
    });
  });

  const drain = (): readonly string[] => {
    const names: string[] = [];
    for (let queued = queue.pop(); queued; queued = queue.pop()) names.push(queued.pod.name);
    return names;
  };
  /** Pops a pod and puts it back as if an attempt had failed. */
  const fail = (...plugins: string[]): void => {
    const queued = queue.pop();
    if (!queued) throw new Error('nothing to pop');
    queue.retry(queued, { pod: queued.pod, ...rejected(...plugins) });
  };

  it('pops pods by priority, then in the order in which they were added', () => {
    queue.put(pending('first'));
    queue.put(pending('second'));
    queue.put(pending('important', { spec: { priority: 10 } }));
    expect(drain()).toEqual(['important', 'first', 'second']);
    expect(ready).toBe(3);
  });

  it('keeps a rejected pod waiting for an event that may help according to the plugin that rejected it', () => {
    queue.put(pending('p', { spec: requesting({ cpu: '1' }) }));
    fail('TaintToleration');
    queue.move(freed);
    expect(drain()).toEqual([]);
    queue.put(pending('q', { spec: requesting({ cpu: '1' }) }));
    fail('NodeResourcesFit');
    queue.move(freed);
    expect(drain()).toEqual(['q']);
  });

  it('pops a pod in backoff early if no other pod is ready', () => {
    queue.put(pending('p'));
    fail('NodeResourcesFit');
    queue.move(freed);
    queue.put(pending('fresh'));
    expect(drain()).toEqual(['fresh', 'p']);
  });

  it('doubles the backoff after each error, up to 10 s', async () => {
    queue.put(pending('p'));
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      fail();
      const since = clock.now();
      while (queue.ready === 0) await clock.advance(1_000);
      waits.push((clock.now() - since) / 1_000);
    }
    // A backoff lasts until the end of the second in which it expires.
    expect(waits).toEqual([2, 3, 5, 9, 11, 11]);
  });

  it('retries a pod that has waited for five minutes without a helpful event', async () => {
    queue.put(pending('p'));
    fail('NodeResourcesFit');
    await clock.advance(290_000);
    expect(queue.ready).toBe(0);
    await clock.advance(60_000);
    expect(drain()).toEqual(['p']);
  });

  it('does not pop a gated pod until its gates are removed', () => {
    queue.put(pending('p', { spec: { schedulingGates: [{ name: 'example.com/gate' }] } }));
    queue.move(freed);
    expect(drain()).toEqual([]);
    queue.put(pending('p'));
    expect(drain()).toEqual(['p']);
  });

  it('applies changes of pods, and drops deleted ones', () => {
    queue.put(pending('p'));
    queue.put(pending('q'));
    queue.put(pending('q', { spec: { priority: 5 } }));
    queue.put(pending('r'));
    queue.delete('uid-of-r');
    expect(drain()).toEqual(['q', 'p']);
  });

  it('reconsiders a waiting pod whose tolerations change', () => {
    queue.put(pending('p'));
    fail('TaintToleration');
    queue.put(pending('p', { labels: { more: 'yes' } }));
    expect(queue.ready).toBe(0);
    queue.put(pending('p', { spec: { tolerations: [{ operator: 'Exists' }] } }));
    expect(drain()).toEqual(['p']);
  });

  it('remembers a nomination until the status of the pod names another node', () => {
    const pod = pending('p');
    queue.put(pod);
    queue.nominator.nominate(pod, 'n');
    queue.put(pending('p', { labels: { more: 'yes' } }));
    expect([...queue.nominator.on('n')].map(({ name }) => name)).toEqual(['p']);
    queue.put(pending('p', { status: { nominatedNodeName: 'm' } }));
    expect([...queue.nominator.on('n')]).toEqual([]);
    expect([...queue.nominator.on('m')].map(({ name }) => name)).toEqual(['p']);
  });
});
