// Runs one example manifest in its own namespace, on any API server; shared by the test and the recorder.
import { normalize } from '../../packages/controlplane/src/controllers/testdata/normalize.mjs';
import { playOnce } from '../../packages/controlplane/src/controllers/testdata/player.mjs';

const apps = '/apis/apps/v1';
const collections = {
  configmaps: '/api/v1',
  controllerrevisions: apps,
  cronjobs: '/apis/batch/v1',
  daemonsets: apps,
  deployments: apps,
  endpointslices: '/apis/discovery.k8s.io/v1',
  ingresses: '/apis/networking.k8s.io/v1',
  jobs: '/apis/batch/v1',
  limitranges: '/api/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
  persistentvolumeclaims: '/api/v1',
  poddisruptionbudgets: '/apis/policy/v1',
  pods: '/api/v1',
  replicasets: apps,
  replicationcontrollers: '/api/v1',
  resourcequotas: '/api/v1',
  rolebindings: '/apis/rbac.authorization.k8s.io/v1',
  roles: '/apis/rbac.authorization.k8s.io/v1',
  secrets: '/api/v1',
  serviceaccounts: '/api/v1',
  services: '/api/v1',
  statefulsets: apps,
};

const pluralOf = (kind) => {
  const lower = kind.toLowerCase();
  if (lower.endsWith('s')) return `${lower}es`;
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`;
};

/** Decides how a pod's containers behave: pods that are always restarted keep running; all others succeed. */
const behavior = ({ spec }) => (spec.restartPolicy === 'Always' ? 'app' : 'ok');

/**
 * Creates the objects of a manifest and simulates nodes. Calls `settled` with a function that reads the normalized state.
 */
export async function runExample(documents, { call, namespace, pause, settled }) {
  await must(call('POST', '/api/v1/namespaces', { metadata: { name: namespace } }));
  const path = (plural) => `${collections[plural]}/namespaces/${namespace}/${plural}`;
  while ((await call('GET', `${path('serviceaccounts')}/default`)).status === 404) await pause();
  let playing = true;
  const player = (async () => {
    while (playing) {
      await playOnce(call, [namespace], behavior);
      await pause();
    }
  })();
  try {
    for (const document of documents) await must(call('POST', path(pluralOf(document.kind)), document));
    return await settled(() => stateOf({ call, path, namespace }));
  } finally {
    playing = false;
    await player;
    await call('DELETE', `/api/v1/namespaces/${namespace}`);
  }
}

async function must(answer) {
  const { status, json } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(json)}`);
}

async function stateOf({ call, path, namespace }) {
  const state = {};
  for (const plural of Object.keys(collections)) state[plural] = (await call('GET', path(plural))).json.items ?? [];
  state.serviceaccounts = state.serviceaccounts.filter(({ metadata }) => metadata.name !== 'default');
  // Keep the whole pods instead of only the fields that controllers set.
  const { pods, ...others } = normalize({ ...state, wholePods: state.pods }, namespace);
  return JSON.parse(withoutChance(JSON.stringify(others)));
}

/** Replaces values that the server assigns at random. */
function withoutChance(text) {
  return text
    .replace(/"(clusterIP|podIP|nodePort|hostIP)":("(?!None)[^"]*"|\d+)/g, '"$1":"<assigned>"')
    .replace(/"clusterIPs":\["(?!None)[^"]*"\]/g, '"clusterIPs":["<assigned>"]')
    .replace(/"podIPs":\[\{"ip":"[^"]*"\}\]/g, '"podIPs":["<assigned>"]')
    .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-*')
    .replace(/-[a-z0-9]{5}(?=\\" is forbidden)/g, '-*');
}
