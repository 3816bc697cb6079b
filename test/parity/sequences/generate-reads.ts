import type { Random } from '@kubewright/apimachinery';
import type { ParityKind } from '../parity-kinds.ts';
import { picker } from './generate-writes.ts';
import type { SequenceRead } from './sequence.ts';

/** Number of reads by verb. */
const counts = { get: 2, list: 8, watch: 7 } as const;

/** Generates gets, lists and watches with random selectors, versions and formats. */
export function generateReads(
  kind: ParityKind,
  draw: { readonly writes: number; readonly random: Random },
): SequenceRead[] {
  const reads: SequenceRead[] = [];
  const add = (count: number, make: () => SequenceRead): void => {
    for (let made = 0; made < count; made++) {
      const read = make();
      reads.push(read);
      if (read.verb === 'list' && /(^|&)limit=[12]\b/.test(read.query))
        reads.push({ ...read, continues: reads.length - 1 });
    }
  };
  const parts = { kind, ...draw };
  add(counts.get, () => getOf(parts));
  add(counts.list, () => listOf(parts));
  add(counts.watch, () => watchOf(parts));
  return reads;
}

interface Draw {
  readonly kind: ParityKind;
  readonly writes: number;
  readonly random: Random;
}

function getOf({ random }: Draw): SequenceRead {
  const pick = picker(random);
  const query = pick(['', '', 'resourceVersion=0', 'resourceVersion={start}', 'resourceVersion=x']);
  return withAccept({ verb: 'get', name: pick(['a', 'b', 'c']), query }, pick(itemFormats));
}

function listOf(draw: Draw): SequenceRead {
  const pick = picker(draw.random);
  const queries = [...selectorsOf(draw), pick(listVersions(pastWrite(draw))), pick(limits)];
  const { accept, query } = pick(listFormats);
  return withAccept({ verb: 'list', query: joined([...queries, query ?? '']) }, accept);
}

function watchOf(draw: Draw): SequenceRead {
  const pick = picker(draw.random);
  const bookmarks = pick(['', '', 'allowWatchBookmarks=true']);
  const start = pick(watchStarts(pastWrite(draw)));
  // Wait longer for bookmarks, which are sent two seconds before the watch ends.
  const seconds = bookmarks === '' ? 1 : 4;
  const { accept, query } = pick(watchFormats);
  const queries = [...selectorsOf(draw), start, bookmarks, `timeoutSeconds=${seconds}`, query ?? ''];
  return withAccept({ verb: 'watch', query: joined(['watch=true', ...queries]) }, accept);
}

/** Returns random selectors. For cluster-scoped kinds, always selects the sequence's own objects. */
function selectorsOf({ kind, random }: Draw): readonly string[] {
  const pick = picker(random);
  const own = kind.namespace && random.next() < 0.5 ? '' : 'sequence={sequence}';
  const labels = [own, pick(labelSelectors)].filter(Boolean).join(',');
  const fields = random.next() < 0.3 ? pick([...fieldSelectors, ...(ownFields[kind.resource] ?? [])]) : '';
  return [
    labels && `labelSelector=${encodeURIComponent(labels)}`,
    fields && `fieldSelector=${encodeURIComponent(fields)}`,
  ];
}

function pastWrite({ writes, random }: Draw): string {
  return `{write:${Math.floor(random.next() * writes)}}`;
}

const labelSelectors: readonly string[] = [
  ...Array.from({ length: 9 }, () => ''),
  'app=x',
  'app=x',
  'app==y',
  'app!=x',
  'app in (x,y)',
  'app notin (x)',
  'app',
  '!app',
  'app=x,tier=z',
  'app=',
  'tier>1',
  'app=x%',
  'a b',
  'app in ()',
];

/** Field selectors, in which `{a}` stands for the name of object a. */
const fieldSelectors: readonly string[] = [
  'metadata.name={a}',
  'metadata.name={a}',
  'metadata.name!={a}',
  'metadata.name={b},metadata.name!={a}',
  'metadata.namespace={namespace}',
  'metadata.namespace!={namespace}',
  'metadata.uid=x',
  'nope=1',
  'metadata.name',
  'metadata.name={a},',
];

/** Field selectors that only some resources support, by resource. */
const ownFields: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName=',
    'status.phase=Pending',
    'status.phase!=Pending',
    'spec.restartPolicy=Always',
    'status.podIP=',
  ],
  nodes: ['spec.unschedulable=false', 'spec.unschedulable=true'],
  namespaces: ['status.phase=Active', 'status.phase=Terminating'],
  secrets: ['type=Opaque', 'type!=Opaque'],
  services: ['spec.clusterIP=None', 'spec.type=ClusterIP'],
  events: ['reason=x', 'type=Normal', 'involvedObject.kind=Pod', 'regarding.kind=Pod', 'source='],
  jobs: ['status.successful=0', 'status.successful!=0'],
  replicasets: ['status.replicas=0'],
  replicationcontrollers: ['status.replicas=0'],
  certificatesigningrequests: ['spec.signerName=example.com/x', 'spec.signerName!=example.com/x'],
  resourceslices: ['spec.nodeName=n', 'spec.driver=d'],
  ipaddresses: ['spec.parentRef.name=x'],
};

function listVersions(past: string): readonly string[] {
  return [
    '',
    '',
    '',
    'resourceVersion=0',
    'resourceVersion={start}',
    `resourceVersion=${past}`,
    `resourceVersion=${past}&resourceVersionMatch=Exact`,
    `resourceVersion=${past}&resourceVersionMatch=NotOlderThan`,
    'resourceVersion=0&resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=NotOlderThan',
    'resourceVersionMatch=Exact',
    `resourceVersion=${past}&resourceVersionMatch=Bogus`,
    'resourceVersion=x',
  ];
}

const limits: readonly string[] = [
  ...Array.from({ length: 6 }, () => ''),
  'limit=1',
  'limit=1',
  'limit=2',
  'limit=0',
  'limit=-1',
  'limit=x',
  'continue=bogus',
  'sendInitialEvents=true',
];

function watchStarts(past: string): readonly string[] {
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  return [
    ...Array.from({ length: 6 }, () => 'resourceVersion={start}'),
    `resourceVersion=${past}`,
    `resourceVersion=${past}`,
    '',
    'resourceVersion=0',
    'resourceVersion=x',
    'resourceVersionMatch=NotOlderThan',
    `${initial}`,
    `${initial}&allowWatchBookmarks=true`,
    `${initial}&allowWatchBookmarks=true&resourceVersion=0`,
    `${initial}&allowWatchBookmarks=true&resourceVersion={start}`,
    'sendInitialEvents=true',
    'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={start}',
    'sendInitialEvents=true&resourceVersionMatch=Exact',
    'resourceVersion={start}&limit=1',
  ];
}

interface Format {
  readonly accept?: string;
  readonly query?: string;
}

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const tableBeta = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
const metadata = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

const itemFormats: readonly (string | undefined)[] = [
  undefined,
  table,
  tableBeta,
  metadata,
  metadataList,
  `${table},application/json`,
  'text/html',
];

const listFormats: readonly Format[] = [
  ...Array.from({ length: 5 }, () => ({})),
  { accept: table },
  { accept: tableBeta },
  { accept: metadata },
  { accept: metadataList },
  { accept: metadataList },
  { accept: table, query: 'includeObject=Object' },
  { accept: table, query: 'includeObject=None' },
  { accept: table, query: 'includeObject=Bogus' },
  { accept: 'application/json;as=Table;v=v2;g=meta.k8s.io' },
  { accept: `application/json;as=Table;v=v2;g=meta.k8s.io,application/json` },
  { accept: 'text/html' },
];

const watchFormats: readonly Format[] = [
  ...Array.from({ length: 6 }, () => ({})),
  { accept: table },
  { accept: tableBeta },
  { accept: metadata },
  { accept: metadata },
  { accept: metadataList },
  { accept: table, query: 'includeObject=None' },
  { accept: 'application/json;stream=watch' },
  { accept: 'text/html' },
];

function withAccept(read: SequenceRead, accept: string | undefined): SequenceRead {
  return accept === undefined ? read : { ...read, accept };
}

function joined(queries: readonly string[]): string {
  return queries.filter(Boolean).join('&');
}
