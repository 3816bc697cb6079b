import type { Hop } from './hops.ts';
import type { TraceTarget } from './target.ts';

/** The steps of a request, as introductions to Kubernetes number them; each row of a trace belongs to a step. */
const steps = [
  ['1-3', 'a client sends the object; the API server validates and stores the object, and notifies its watchers'],
  ['4', 'controllers see the object and create its child objects'],
  ['5-6', 'the scheduler sees a pod without a node, and chooses a node'],
  ['7-8', 'the API server stores the binding of the pod, and notifies its watchers'],
  ['9-10', 'the kubelet of that node starts the containers'],
  ['11-12', 'the kubelet reports the status of the pod; the API server stores the status'],
  ['13', 'controllers update the status of the owners'],
] as const;

/** The number of a step, or the numbers of steps that one row shows. */
export type Step = (typeof steps)[number][0];

/** Describes the steps, below a table of hops that contains their numbers. */
export const stepLegend: string = `\n${steps.map(([step, text]) => `${step.padEnd(6)} ${text}`).join('\n')}\n`;

/** Returns the step that a hop belongs to; undefined for the initial state and for deletions. */
export function stepOf({ component, object, what }: Hop, { kinds: [root], name }: TraceTarget): Step | undefined {
  if (/^(found|deleted|deletion)\b/.test(what)) return undefined;
  if (what.startsWith('bound to ')) return '7-8';
  if (what.startsWith('Scheduled: ') || what.startsWith('FailedScheduling: ')) return '5-6';
  if (what.startsWith('status: ')) return stepOfStatus(component, object);
  if (component === 'kubelet') return '9-10';
  const isOfRoot = object === `${root.kind} ${name}`;
  return isOfRoot && (what === 'created' || what.startsWith('updated')) ? '1-3' : '4';
}

/** A scheduler writes the status of a pod for which it finds no node; all other statuses of pods come from their nodes. */
function stepOfStatus(component: string, object: string): Step {
  if (!object.startsWith('Pod ')) return '13';
  return component.includes('scheduler') ? '5-6' : '11-12';
}
