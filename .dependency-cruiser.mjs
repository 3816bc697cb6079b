/**
 * The arrows of ARCHITECTURE.md as rules. `scripts/check-boundaries.mjs` also provokes each rule once, so that a rule
 * that matches nothing is noticed.
 */
const pkg = (...names) => `^packages/(${names.join('|')})/`;
const only = (from, allowed) => ({
  name: `${from}-imports-downward`,
  severity: 'error',
  from: { path: pkg(from), pathNot: '\\.test\\.ts$' },
  to: { path: '^(packages|examples)/', pathNot: pkg(from, ...allowed) },
});

/** The folders of `packages/runtime/src` in the order of ARCHITECTURE.md: each imports only from those before it. */
const runtimeFolders = [
  'collection',
  'log',
  'kind',
  'handler',
  'predicate',
  'scan',
  'workqueue',
  'reflector',
  'cache',
  'source',
  'discovery',
  'recorder',
  'finalizer',
  'tracing',
  'watchdog',
  'certificates',
  'health',
  'runnable',
  'cluster',
  'webhook',
  'metrics',
  'fencing',
  'leader-election',
  'detector',
  'reconcile',
  'desired',
  'controller/definition',
  'controller/reports',
  'controller/sources',
  'controller/pipeline',
  'controller',
  'sharding',
  'permissions',
  'manager',
  'testing',
  'flags',
  'program',
];

/** The same for `packages/cli/src`. */
const cliFolders = [
  'permissions',
  'program',
  'project',
  'release',
  'layout',
  'operator-log',
  'type-check',
  'generate',
  'templates',
  'scaffold',
  'render',
  'cluster',
  'images',
  'envtest',
  'target',
  'operator',
  'webhooks',
  'deploy',
  'test',
  'dev/watch',
  'dev/cluster',
  'dev',
  'sandbox',
  'rbac',
  'run',
  'sbom',
  'chart',
  'olm',
  'build',
  'upgrade',
  'import-crd',
  'doctor',
  'explain',
  'trace',
  'completion',
  'commands',
];

/** The rules for folders in an order: each imports only from those before it, and each has a place. */
function ordered(name, folders) {
  const among = (names) => `^packages/${name}/src/(${names.join('|')})/`;
  return [
    ...folders.map((folder, place) => ({
      name: `${name}-${folder.replace('/', '-')}-imports-downward`,
      comment: 'The folders of the package depend on each other in one direction only.',
      severity: 'error',
      from: { path: among([folder]), pathNot: '\\.test\\.ts$|/testdata/' },
      to: { path: `^packages/${name}/src/`, pathNot: among(folders.slice(0, place + 1)) },
    })),
    {
      name: `${name}-folders-have-a-place`,
      comment: 'A new folder must be added to the order above.',
      severity: 'error',
      from: { path: `^packages/${name}/src/[^/]+/`, pathNot: `${among(folders)}|/testdata/` },
      to: {},
    },
  ];
}

export default {
  forbidden: [
    ...ordered('runtime', runtimeFolders),
    ...ordered('cli', cliFolders),
    only('apimachinery', []),
    only('schema', ['apimachinery']),
    only('client', ['apimachinery']),
    only('codegen', ['schema', 'apimachinery']),
    only('runtime', ['client', 'apimachinery']),
    only('apiserver', ['schema', 'apimachinery']),
    only('controlplane', ['apiserver', 'runtime', 'client', 'schema', 'apimachinery']),
    only('testing', ['controlplane', 'runtime', 'client', 'apimachinery']),
    only('create-kubewright', ['cli']),
    only('cli', ['codegen', 'controlplane', 'runtime', 'client', 'schema', 'apimachinery']),
    {
      name: 'server-shares-nothing-with-its-clients',
      comment: 'The API server must not share bugs with the client that tests it.',
      severity: 'error',
      from: { path: '^packages/(apiserver/src|controlplane/src/(kinds|kube-apiserver))/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^packages/(client|runtime)/', '^packages/controlplane/src/(controllers|scheduler|node|cluster)/'] },
    },
    {
      name: 'storage-knows-no-server',
      severity: 'error',
      from: { path: '^packages/apiserver/src/storage/' },
      to: { path: '^packages/apiserver/src/', pathNot: '^packages/apiserver/src/storage/' },
    },
    {
      name: 'kinds-know-only-the-machinery',
      comment: 'Strategies, defaults, validation and tables are passed to the server; they start nothing.',
      severity: 'error',
      from: { path: '^packages/controlplane/src/kinds/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/controlplane/src/', pathNot: '^packages/controlplane/src/kinds/' },
    },
    {
      name: 'components-are-ordinary-programs',
      comment: 'Controllers, scheduler and node reach the server as any client does; the node answers its one seam.',
      severity: 'error',
      from: { path: '^packages/controlplane/src/(controllers|scheduler|node)/', pathNot: '\\.test\\.ts$|/testdata/' },
      to: {
        path: ['^packages/apiserver/', '^packages/controlplane/src/(cluster|kinds|kube-apiserver)/'],
        pathNot: '^packages/controlplane/src/kube-apiserver/pods/node-connector\\.ts$',
      },
    },
    {
      name: 'images-know-no-cluster',
      comment:
        'The image store is files alone; nodes and commands use it. Its client for registries shares the rules for proxies.',
      severity: 'error',
      from: { path: '^packages/controlplane/src/images/', pathNot: '\\.test\\.ts$|/testdata/' },
      to: {
        path: ['^packages/(?!apimachinery/)', '^packages/controlplane/src/(?!images/)'],
        pathNot: ['^packages/controlplane/src/images/', '^packages/client/src/internal\\.ts$'],
      },
    },
    {
      name: 'the-network-is-below-the-nodes',
      comment: 'Nodes use its addresses and sockets; its controllers reach the server as any client does.',
      severity: 'error',
      from: { path: '^packages/controlplane/src/network/', pathNot: '\\.test\\.ts$|/testdata/' },
      to: {
        path: [
          '^packages/apiserver/',
          '^packages/controlplane/src/(cluster|kinds|kube-apiserver|controllers|scheduler|node)/',
        ],
      },
    },
    {
      name: 'usage-is-pure',
      comment: 'The API server and the controllers compute with it; it knows neither.',
      severity: 'error',
      from: { path: '^packages/controlplane/src/usage/', pathNot: '\\.test\\.ts$' },
      to: {
        path: ['^packages/(?!apimachinery/)', '^packages/controlplane/src/(?!usage/)'],
        pathNot: '^packages/controlplane/src/usage/',
      },
    },
    {
      name: 'components-are-separate',
      comment: 'Controllers, scheduler and node meet in the cluster only, as separate processes do.',
      severity: 'error',
      from: { path: '^packages/controlplane/src/(controllers|scheduler|node)/', pathNot: '\\.test\\.ts$|/testdata/' },
      to: {
        path: '^packages/controlplane/src/(controllers|scheduler|node)/',
        pathNot: '^packages/controlplane/src/$1/',
      },
    },
    {
      name: 'apimachinery-is-pure',
      severity: 'error',
      from: { path: '^packages/apimachinery/src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'one-file-knows-the-compiler',
      comment: 'The compiler has no stable API: what a new version breaks is in one place.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/codegen/src/compiler/typescript\\.ts$' },
      to: { path: '(^|/)node_modules/typescript/|^typescript$' },
    },
    {
      name: 'operators-need-only-the-runtime',
      severity: 'error',
      from: { path: '^examples/[^/]+/src/', pathNot: '\\.test\\.ts$' },
      to: { path: pkg('schema', 'controlplane', 'codegen', 'cli', 'testing') },
    },
    {
      name: 'internals-are-ours',
      comment:
        'What packages export from ./internal serves other packages; users, and tests written as a user, do without.',
      severity: 'error',
      from: {
        path: '^(examples|test)/',
        pathNot:
          '^test/(aggregation/|fuzz/|security/|webhooks/metrics\\.long|runtime/(reconcile-key|desired-status|desired-conditions)\\.|kubectl/readable-body|cli/go-template)',
      },
      to: { path: '^packages/[^/]+/src/internal\\.ts$' },
    },
    {
      name: 'no-deep-imports',
      comment: 'Between packages only through the package name.',
      severity: 'error',
      from: { path: '^(?:packages|examples)/([^/]+)/' },
      to: {
        path: '^(?:packages|examples)/([^/]+)/',
        pathNot: '^(?:packages|examples)/$1/',
        dependencyTypes: ['local'],
      },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { pathNot: '/generated/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-tests-in-sources',
      severity: 'error',
      from: { pathNot: '\\.(test|contract|test-d)\\.ts$|/testdata/|/bench/' },
      to: { path: '\\.(test|contract)\\.ts$' },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      // Its users install it, or do not: tracing looks whether it is there.
      to: { couldNotResolve: true, pathNot: '^@opentelemetry/sdk-node$' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/', '/testdata/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['kubewright-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
    preserveSymlinks: false,
  },
};
