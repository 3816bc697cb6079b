import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import {
  type ApiRequest,
  ApiServer,
  discoveryHandler,
  MemoryStorage,
  MutableCatalog,
  type ResourceDefinition,
  superuserAuthorizer,
} from '@kubewright/apiserver';

const flunders: ResourceDefinition = {
  group: 'wardle.example.com',
  version: 'v1',
  resource: 'flunders',
  singular: 'flunder',
  kind: 'Flunder',
  listKind: 'FlunderList',
  scope: 'Cluster',
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  storagePrefix: '/registry/wardle.example.com/flunders/',
  storageApiVersion: 'wardle.example.com/v1',
  schema: { type: 'any' },
  strategy: {
    generation: 'spec',
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    prepareForCreate: (flunder) => void delete flunder['status'],
  },
  custom: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
  cells: ({ metadata }) => [metadata.name],
  fieldLabels: new Map(),
  subresources: new Map(),
};

export async function nameOfANewFlunder(): Promise<string> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const catalog = new MutableCatalog([flunders]);
  const storage = new MemoryStorage({ clock });
  await using server = new ApiServer({
    storage,
    clock,
    random,
    catalog,
    authenticators: [{ authenticate: async () => ({ username: 'admin', groups: ['system:masters'] }) }],
    authorizer: superuserAuthorizer,
    nonResourceHandlers: [discoveryHandler({ catalog, serverAddress: () => '127.0.0.1:6443' })],
  });
  const flunder = { apiVersion: 'wardle.example.com/v1', kind: 'Flunder', metadata: { generateName: 'flunder-' } };
  const request: ApiRequest = {
    method: 'POST',
    path: '/apis/wardle.example.com/v1/flunders',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(flunder)),
    signal: new AbortController().signal,
    connection: { remoteAddress: '127.0.0.1', protocol: 'in-process' },
  };
  const { body } = await server.handle(request);
  return JSON.parse(Buffer.from(body as Uint8Array).toString()).metadata.name;
}
