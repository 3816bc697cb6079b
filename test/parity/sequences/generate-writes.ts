import type { Random } from '@kubewright/apimachinery';
import type { KindChanges } from '../kind-changes.ts';
import type { ParityKind } from '../parity-kinds.ts';
import type { Change } from '../parity-request.ts';
import type { SequenceWrite } from './sequence.ts';

/** The inputs for generating writes. */
interface Draw {
  readonly kind: ParityKind;
  readonly changes: KindChanges;
  readonly random: Random;
}

/** Generates writes: two creates, changes with every verb, then deletions with and without finalizers. */
export function generateWrites(draw: Draw): readonly SequenceWrite[] {
  const pick = picker(draw.random);
  const middle = Array.from({ length: 7 }, () => changeOf(draw));
  return [
    { verb: 'create', name: 'a' },
    { verb: 'create', name: 'b', changes: [finalizers(pick([['example.com/hold'], undefined]))] },
    ...middle,
    ...scaleWrites(draw),
    pick(rejected),
    ...Array.from({ length: 3 }, () => deletion(draw.random)),
    { verb: 'merge', name: pick(['a', 'b']), changes: [finalizers(undefined)] },
    pick(lastWrites),
  ];
}

function changeOf({ kind, changes, random }: Draw): SequenceWrite {
  const pick = picker(random);
  const name = pick(['a', 'a', 'b', 'c']);
  if (changes.hasStatus && random.next() < 0.25) {
    const verb = pick(['status-update', 'status-merge', 'status-apply'] as const);
    return withManager({ verb, name, changes: [changes.change('status')] }, pick);
  }
  const verb = pick(['update', 'json', 'merge', 'strategic', 'apply', 'create'] as const);
  const change = random.next() < 0.5 && !actsOnOthers(kind) ? changes.change('desired') : pick(metadataChanges);
  // A JSON patch cannot create missing parents, so JSON patches change labels, which all objects have.
  const patched = verb === 'json' && change.path[1] !== 'labels' ? pick(labelChanges) : change;
  const write = { verb, name, changes: [verb === 'json' ? patched : change] };
  return random.next() < 0.08 && verb !== 'apply' ? { ...write, query: 'dryRun=All' } : withManager(write, pick);
}

/** Adds a random field manager to applies. Applies of different managers may conflict. */
function withManager(write: SequenceWrite, pick: Pick): SequenceWrite {
  if (!write.verb.endsWith('apply')) return write;
  return { ...write, query: `fieldManager=${pick(['one', 'two'])}${pick(['', '&force=true'])}` };
}

/** Reports whether a kind's stored objects change how the server handles other requests. */
function actsOnOthers({ apiVersion, resource }: ParityKind): boolean {
  return (
    /^(admissionregistration|flowcontrol|scheduling)/.test(apiVersion) ||
    ['servicecidrs', 'namespaces', 'ipaddresses'].includes(resource)
  );
}

function scaleWrites({ kind, random }: Draw): readonly SequenceWrite[] {
  if (!kind.subresources.includes('scale')) return [];
  const pick = picker(random);
  const replicas = { path: ['spec', 'replicas'], value: pick([0, 2, 5, -1]) };
  return [
    { verb: pick(['scale-update', 'scale-merge'] as const), name: 'a', changes: [replicas] },
    { verb: 'scale-merge', name: pick(['b', 'c']), changes: [{ ...replicas, value: 3 }] },
  ];
}

function finalizers(value: readonly string[] | undefined): Change {
  return { path: ['metadata', 'finalizers'], value };
}

const labelChanges: readonly Change[] = [
  { path: ['metadata', 'labels', 'app'], value: 'x' },
  { path: ['metadata', 'labels', 'app'], value: 'y' },
  { path: ['metadata', 'labels', 'tier'], value: 'z' },
  { path: ['metadata', 'labels', 'app'] },
];

const metadataChanges: readonly Change[] = [
  ...labelChanges,
  ...labelChanges,
  { path: ['metadata', 'annotations'], value: { note: 'one' } },
  { path: ['metadata', 'annotations'] },
  { path: ['metadata', 'finalizers'], value: ['example.com/hold', 'example.com/wait'] },
  { path: ['metadata', 'ownerReferences'], value: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }] },
  { path: ['metadata', 'ownerReferences'], value: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o' }] },
  { path: ['metadata', 'generation'], value: 9 },
  { path: ['metadata', 'deletionTimestamp'], value: '2020-01-01T00:00:00Z' },
  { path: ['metadata', 'uid'], value: 'another' },
  { path: ['metadata', 'labels', 'Bad Key!'], value: 'x' },
  { path: ['metadata', 'managedFields'], value: [] },
];

/** Writes that the server must reject: a precondition fails, or the object exists or is missing. */
const rejected: readonly SequenceWrite[] = [
  { verb: 'create', name: 'a' },
  { verb: 'update', name: 'a', changes: [{ path: ['metadata', 'resourceVersion'], value: '1' }] },
  { verb: 'merge', name: 'a', changes: [{ path: ['metadata', 'resourceVersion'], value: '1' }] },
  { verb: 'merge', name: 'z', changes: [{ path: ['metadata', 'labels', 'app'], value: 'x' }] },
  { verb: 'apply', name: 'a', query: 'fieldManager=one', changes: [{ path: ['metadata', 'uid'], value: 'another' }] },
  { verb: 'delete', name: 'z' },
  { verb: 'update', name: 'a', query: 'fieldValidation=Strict', changes: [{ path: ['bogus'], value: 1 }] },
  { verb: 'merge', name: 'a', query: 'fieldValidation=Warn', changes: [{ path: ['bogus'], value: 1 }] },
];

function deletion(random: Random): SequenceWrite {
  const pick = picker(random);
  const options = pick([
    undefined,
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Background' },
    { propagationPolicy: 'Orphan' },
    { propagationPolicy: 'Nope' },
    { orphanDependents: true },
    { orphanDependents: false, propagationPolicy: 'Orphan' },
    { preconditions: { uid: 'another' } },
    { preconditions: { uid: '{uid}' } },
    { preconditions: { resourceVersion: '1' } },
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: -1 },
    { dryRun: ['All'] },
    { dryRun: ['Some'] },
  ]);
  const wire = options && { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
  const write = { verb: 'delete', name: pick(['a', 'a', 'b', 'c']), ...(wire && { options: wire }) } as const;
  return random.next() < 0.15 ? { ...write, query: 'propagationPolicy=Foreground' } : write;
}

const lastWrites: readonly SequenceWrite[] = [
  { verb: 'create', name: 'd' },
  { verb: 'create', name: 'a' },
  { verb: 'deletecollection', query: 'labelSelector=app%3Dy,sequence%3D{sequence}' },
  { verb: 'deletecollection', query: 'labelSelector=sequence%3D{sequence}&dryRun=All' },
  { verb: 'update', name: 'b', changes: [{ path: ['metadata', 'labels', 'app'], value: 'x' }] },
];

type Pick = <T>(from: readonly T[]) => T;

/** Returns a function that picks a random element. */
export function picker(random: Random): Pick {
  return <T>(from: readonly T[]) => from[Math.floor(random.next() * from.length)] as T;
}
