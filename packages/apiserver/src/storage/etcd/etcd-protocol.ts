type Field = readonly [type: string, id: number, rule?: 'repeated'];
type Fields = Readonly<Record<string, Field>>;

const header: Field = ['ResponseHeader', 1];

/**
 * The part of etcd's protocol that the store uses (`rpc.proto` and `kv.proto`, version 3.5 and later): the fields of each message.
 * Lease ids are chosen by the client, below 2^53, so every number is exact.
 */
const messages: Readonly<Record<string, Fields>> = {
  ResponseHeader: { revision: ['int64', 3] },
  KeyValue: {
    key: ['bytes', 1],
    createRevision: ['int64', 2],
    modRevision: ['int64', 3],
    version: ['int64', 4],
    value: ['bytes', 5],
  },
  Event: { type: ['int32', 1], kv: ['KeyValue', 2], prevKv: ['KeyValue', 3] },
  RangeRequest: {
    key: ['bytes', 1],
    rangeEnd: ['bytes', 2],
    limit: ['int64', 3],
    revision: ['int64', 4],
    countOnly: ['bool', 9],
  },
  RangeResponse: { header, kvs: ['KeyValue', 2, 'repeated'], more: ['bool', 3], count: ['int64', 4] },
  PutRequest: { key: ['bytes', 1], value: ['bytes', 2], lease: ['int64', 3] },
  PutResponse: { header },
  DeleteRangeRequest: { key: ['bytes', 1] },
  DeleteRangeResponse: { header },
  RequestOp: {
    requestRange: ['RangeRequest', 1],
    requestPut: ['PutRequest', 2],
    requestDeleteRange: ['DeleteRangeRequest', 3],
  },
  ResponseOp: { responseRange: ['RangeResponse', 1] },
  Compare: {
    result: ['int32', 1],
    target: ['int32', 2],
    key: ['bytes', 3],
    version: ['int64', 4],
    modRevision: ['int64', 6],
    rangeEnd: ['bytes', 64],
  },
  TxnRequest: {
    compare: ['Compare', 1, 'repeated'],
    success: ['RequestOp', 2, 'repeated'],
    failure: ['RequestOp', 3, 'repeated'],
  },
  TxnResponse: { header, succeeded: ['bool', 2], responses: ['ResponseOp', 3, 'repeated'] },
  CompactionRequest: { revision: ['int64', 1] },
  CompactionResponse: { header },
  WatchRequest: { createRequest: ['WatchCreateRequest', 1], progressRequest: ['WatchProgressRequest', 3] },
  WatchCreateRequest: {
    key: ['bytes', 1],
    rangeEnd: ['bytes', 2],
    startRevision: ['int64', 3],
    prevKv: ['bool', 6],
    fragment: ['bool', 8],
  },
  WatchProgressRequest: {},
  WatchResponse: {
    header,
    watchId: ['int64', 2],
    created: ['bool', 3],
    canceled: ['bool', 4],
    compactRevision: ['int64', 5],
    cancelReason: ['string', 6],
    fragment: ['bool', 7],
    events: ['Event', 11, 'repeated'],
  },
  LeaseGrantRequest: { TTL: ['int64', 1], ID: ['int64', 2] },
  StatusRequest: {},
  StatusResponse: { header, version: ['string', 2] },
  LeaseGrantResponse: { header, ID: ['int64', 2], TTL: ['int64', 3] },
};

/** The mutually exclusive fields of a compare. Without this declaration, a zero would not be sent. */
const oneofs: Readonly<Record<string, Readonly<Record<string, { readonly oneof: readonly string[] }>>>> = {
  Compare: { targetUnion: { oneof: ['version', 'modRevision'] } },
};

const services = {
  KV: {
    methods: {
      Range: { requestType: 'RangeRequest', responseType: 'RangeResponse' },
      Txn: { requestType: 'TxnRequest', responseType: 'TxnResponse' },
      Compact: { requestType: 'CompactionRequest', responseType: 'CompactionResponse' },
    },
  },
  Watch: {
    methods: {
      Watch: { requestType: 'WatchRequest', requestStream: true, responseType: 'WatchResponse', responseStream: true },
    },
  },
  Maintenance: { methods: { Status: { requestType: 'StatusRequest', responseType: 'StatusResponse' } } },
  Lease: { methods: { LeaseGrant: { requestType: 'LeaseGrantRequest', responseType: 'LeaseGrantResponse' } } },
};

/** Returns the protocol as a protobuf.js descriptor. */
export function etcdDescriptor(): object {
  const fields = (all: Fields): object =>
    Object.fromEntries(
      Object.entries(all).map(([name, [type, id, rule]]) => [name, { type, id, ...(rule && { rule }) }]),
    );
  const types = Object.entries(messages).map(([name, all]) => {
    return [name, { fields: fields(all), ...(oneofs[name] && { oneofs: oneofs[name] }) }] as const;
  });
  return { nested: { etcdserverpb: { nested: { ...Object.fromEntries(types), ...services } } } };
}
