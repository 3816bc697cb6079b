import type { CodeExample } from './code-example.ts';

/**
 * Calls that throw an error with a code. `client` is connected to a cluster; `Shop` is a kind from `defineKind`; `shop` is an
 * object of that kind in the namespace `default`.
 */
export const callExamples: readonly CodeExample[] = [
  {
    code: 'KW1001',
    mistake: `await client.resource(ConfigMap).get({ namespace: 'default', name: 'settings' });`,
    cause:
      'The API server returned an error: here, the object does not exist. The fields reason and httpStatus identify the error.',
    fix: `try {
  await client.resource(ConfigMap).get({ namespace: 'default', name: 'settings' });
} catch (error) {
  if (!isNotFound(error)) throw error;
}`,
  },
  {
    code: 'KW1010',
    mistake: `LabelSelector.parse('app in web, api');`,
    cause: 'The values of the operators in and notin must be in parentheses.',
    fix: `LabelSelector.parse('app in (web, api)');`,
  },
  {
    code: 'KW1030',
    mistake: `Quantity.parse('1 GB');`,
    cause: 'Quantities contain no spaces and use the units of Kubernetes: k, M, G and Ki, Mi, Gi.',
    fix: `Quantity.parse('1G');`,
  },
  {
    code: 'KW1031',
    mistake: `parseDurationMs('5 minutes');`,
    cause: 'Durations have the format of Go: numbers followed by h, m, s, ms, us or ns.',
    fix: `parseDurationMs('5m');`,
  },
  {
    code: 'KW1040',
    mistake: `const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'other', name: 'settings' } };
setControllerReference(child, shop);`,
    cause: 'A namespaced owner can only own objects in its own namespace; the garbage collector would delete others.',
    fix: `const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'settings' } };
setControllerReference(child, shop);`,
  },
  {
    code: 'KW2101',
    mistake: `await client.resource(ConfigMap).list({ namespace: 'team/a' });`,
    cause: 'The call cannot be encoded as a request: a name is empty or contains a slash. Retrying does not help.',
    fix: `await client.resource(ConfigMap).list({ namespace: 'team-a' });`,
  },
  {
    code: 'KW3001',
    mistake: `const manager = new Manager({ client, controllers: [] });
manager.cache.lister(Secret).get({ namespace: 'default', name: 'password' });`,
    cause: 'No controller declares the kind, so its objects are not cached.',
    fix: `// in the controller: owns: [Secret], watches: [watch(Secret, …)], or read it from the API server
await client.resource(Secret).list({ namespace: 'default' });`,
  },
  {
    code: 'KW3007',
    mistake: `const first = controller({ for: Shop, desired: () => ({}) });
const second = controller({ for: Shop, desired: () => ({}) });
new Manager({ client, controllers: [first, second] });`,
    cause: 'The manager is misconfigured: here, two controllers get their name from the same kind.',
    fix: `const first = controller({ for: Shop, desired: () => ({}) });
const second = controller({ name: 'shop-audit', for: Shop, desired: () => ({}) });
new Manager({ client, controllers: [first, second] });`,
  },
  {
    code: 'KW3031',
    mistake: `converter(Shop, [spoke(Shop, { toHub: (object) => object, fromHub: (object) => object })]);`,
    cause: 'The webhook is misconfigured: here, the hub is listed among the versions that convert to it.',
    fix: `const Old = defineKind({ group: 'example.com', version: 'v1beta1', kind: 'Shop', storage: false });
converter(Shop, [spoke(Old, { toHub: (object) => object, fromHub: (object) => object })]);`,
  },
  {
    code: 'KW3032',
    mistake: `managerFlags(['--health-probe-address=:8081']);`,
    cause: 'The program was started with an unknown flag or with an invalid value of a flag.',
    fix: `managerFlags(['--health-probe-bind-address=:8081']);`,
  },
  {
    code: 'KW3042',
    mistake: `controller({ for: Shop, cached: { metadataOnly: true }, desired: () => ({}) });`,
    cause: 'The reconcile would receive objects without spec and status, and apply them as if both were empty.',
    fix: `controller({ for: Shop, desired: () => ({}) });`,
  },
];
