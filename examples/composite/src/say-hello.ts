import { Pod } from '@kubewright/apimachinery/core/v1';
import type { HelloWorld } from './api/v1/hello-world.ts';
import type { SyncRequest, SyncResponse } from './sync-hook.ts';

/** Requests one pod per name, and counts the pods that are done. */
export function sayHello({ parent, children }: SyncRequest<HelloWorld>): SyncResponse {
  const pods = Object.values(children['Pod.v1'] ?? {}) as readonly Pod[];
  const greeted = pods.filter(({ status }) => status?.phase === 'Succeeded').length;
  return {
    status: { greeted },
    children: parent.spec.who.map((who) => podFor(`${parent.metadata.name}-${who}`, `Hello, ${who}!`)),
  };
}

/** Requests another pod, which says goodbye, before the parent is deleted. */
export function sayGoodbye({ parent, children }: SyncRequest<HelloWorld>): SyncResponse {
  // The names in `who` have no dots, so no other pod has this name.
  const name = `${parent.metadata.name}.goodbye`;
  const pod = children['Pod.v1']?.[name] as Pod | undefined;
  return { children: [podFor(name, 'Goodbye!')], finalized: pod?.status?.phase === 'Succeeded' };
}

function podFor(name: string, words: string): Pod {
  const command = ['echo', words];
  return Pod({
    metadata: { name },
    spec: { restartPolicy: 'OnFailure', containers: [{ name: 'hello', image: 'busybox', command }] },
  });
}
