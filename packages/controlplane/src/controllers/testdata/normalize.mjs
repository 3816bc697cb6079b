/**
 * Normalizes the recorded state of a server, so that two servers can be compared: removes what depends on time, randomness or
 * order.
 */

/** Selects the fields to compare for each resource. Objects of other resources are compared completely. */
const parts = {
  pods: ({ metadata, spec, status }) => ({
    metadata: pick(metadata, ['name', 'generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp']),
    spec: pick(spec, ['hostname', 'subdomain', 'restartPolicy', 'setHostnameAsFQDN']),
    env: spec.containers.map(({ name, image, env }) => ({ name, image, env })),
    volumes: spec.volumes?.filter(({ projected }) => !projected),
    status: pick(status, ['phase']),
  }),
  events: ({ type, reason, message, involvedObject: { kind, name, apiVersion }, source }) => ({ type, reason, message, of: { kind, name, apiVersion }, source }),
  configmaps: ({ metadata, data }) => ({ metadata, data }),
};

export function normalize(state, namespace, select) {
  const names = nameReplacements(state);
  const out = {};
  for (const [resource, items] of Object.entries(state)) {
    const picked = items
      .filter(({ metadata }) => !(resource === 'configmaps' && metadata.name === 'kube-root-ca.crt'))
      .filter(({ source, message }) => resource !== 'events' || isCompared({ component: source?.component ?? '', message }, select))
      .filter(({ reportingComponent }) => !(resource === 'events' && /scheduler/.test(reportingComponent ?? '')))
      .map((item) => JSON.stringify(clean((parts[resource] ?? ((same) => same))(item))))
      .map((text) => neutral(text, names, namespace))
      .sort();
    if (picked.length > 0) out[resource] = (resource === 'events' ? [...new Set(picked)] : picked).map((text) => JSON.parse(text));
  }
  return out;
}

function isCompared({ component, message }, select) {
  if (!select) return !/scheduler|kubelet|node-controller|persistentvolume/.test(component);
  return select.components.test(component) && (select.messages?.test(message) ?? true);
}

function pick(object, fields) {
  return Object.fromEntries(fields.filter((field) => object?.[field] !== undefined).map((field) => [field, object[field]]));
}

const dropped = new Set(['managedFields', 'resourceVersion', 'selfLink', 'kubectl.kubernetes.io/last-applied-configuration']);

function clean(value, key = '') {
  if (Array.isArray(value)) {
    const items = value.map((item) => clean(item));
    if (key === 'conditions') items.sort((a, b) => (a.type < b.type ? -1 : 1));
    if (key === 'endpoints') items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const out = {};
  for (const field of Object.keys(value).sort()) {
    if (dropped.has(field)) continue;
    // The number of writes depends on timing, so ignore the generation of owned objects.
    if (field === 'generation' && value.kind === undefined && value.ownerReferences) continue;
    if (field === 'addresses') out[field] = value[field].map(() => '<address>');
    else out[field] = clean(value[field], field);
  }
  return out;
}

function neutral(text, names, namespace) {
  let out = text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+05:30)/g, '<time>')
    .replaceAll(namespace, '<namespace>');
  for (const [from, to] of names) out = out.replaceAll(from, to);
  // The jobs of cron jobs are named after the scheduled minute.
  return out.replace(/(?<=tick-)\d{8}\b/g, '<minute>');
}

/** Returns replacements for generated names: hashes become their revision, random suffixes a star. */
function nameReplacements({
  replicasets = [],
  controllerrevisions = [],
  pods = [],
  events = [],
  endpointslices = [],
  deployments = [],
  jobs = [],
  replicationcontrollers = [],
}) {
  const names = [];
  const star = (prefix, text) => {
    const pattern = new RegExp(`${prefix.replace(/[.*+?^$\{}()|[\]\\]/g, '\\$&')}[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])`, 'g');
    for (const [found] of text.matchAll(pattern)) names.push([found, `${prefix}*`]);
  };
  const text = JSON.stringify([pods, events, endpointslices]);
  const owners = [...replicasets, ...jobs, ...replicationcontrollers].map(({ metadata }) => `${metadata.name}-`);
  const generated = [...pods, ...endpointslices].map(({ metadata }) => metadata.generateName).filter(Boolean);
  const gone = [...JSON.stringify(events).matchAll(/(?:Created|Deleted) pod: ([a-z0-9-]+-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g)].map(([, prefix]) => prefix);
  for (const prefix of [...new Set([...owners, ...generated, ...gone])]) star(prefix, text);
  const byRevision = (a, b) => Number(a.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0) - Number(b.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
  [...replicasets].sort(byRevision).forEach((set) => {
    const hash = set.metadata.labels?.['pod-template-hash'];
    const revision = set.metadata.annotations?.['deployment.kubernetes.io/revision'];
    if (hash) names.push([hash, `<hash ${revision}>`]);
  });
  for (const { metadata } of deployments) names.push(...goneHashes(metadata.name, events, names));
  for (const { metadata, revision } of controllerrevisions) {
    names.push([metadata.labels?.['controller.kubernetes.io/hash'] ?? metadata.labels?.['controller-revision-hash'] ?? metadata.name, `<hash ${revision}>`]);
    names.push([metadata.name.slice(metadata.name.lastIndexOf('-') + 1), `<hash ${revision}>`]);
  }
  return names.sort((a, b) => b[0].length - a[0].length);
}

/** Returns replacements for the hashes of deleted replica sets, which events still mention. */
function goneHashes(deployment, events, names) {
  const known = new Set(names.map(([name]) => name));
  const pattern = new RegExp(`replica set ${deployment}-([a-z0-9]+)`, 'g');
  return [...JSON.stringify(events).matchAll(pattern)].filter(([, hash]) => !known.has(hash)).map(([, hash]) => [`${deployment}-${hash}`, `${deployment}-<hash gone>`]);
}
