import { Pod } from '@kubewright/apimachinery/core/v1';
import type { HelloWorld } from './api/v1/hello-world.ts';
import type { SyncRequest, SyncResponse } from './sync-hook.ts';

/** Decides on one pod per name, and counts those that are done. */
export function sayHello({ parent, children }: SyncRequest<HelloWorld>): SyncResponse {
  const pods = Object.values(children['Pod.v1'] ?? {}) as readonly Pod[];
  const greeted = pods.filter(({ status }) => status?.phase === 'Succeeded').length;
  return { status: { greeted }, children: parent.spec.who.map((who) => podFor(parent.metadata.name, who)) };
}

/** Decides on one more pod, which says goodbye, before the parent is deleted. */
export function sayGoodbye({ parent, children }: SyncRequest<HelloWorld>): SyncResponse {
  const goodbye = podFor(parent.metadata.name, 'goodbye', 'Goodbye!');
  const pod = children['Pod.v1']?.[`${parent.metadata.name}-goodbye`] as Pod | undefined;
  return { children: [goodbye], finalized: pod?.status?.phase === 'Succeeded' };
}

function podFor(parent: string, who: string, words = `Hello, ${who}!`): Pod {
  const command = ['echo', words];
  return Pod({
    metadata: { name: `${parent}-${who}` },
    spec: { restartPolicy: 'OnFailure', containers: [{ name: 'hello', image: 'busybox', command }] },
  });
}
