import { Session } from './session.mjs';
import { autoscalers } from './scenarios/autoscalers.mjs';
import { budgets } from './scenarios/budgets.mjs';
import { collecting } from './scenarios/collecting.mjs';
import { credentials } from './scenarios/credentials.mjs';
import { cronJobs } from './scenarios/cron-jobs.mjs';
import { daemonSets } from './scenarios/daemon-sets.mjs';
import { deployments } from './scenarios/deployments.mjs';
import { jobs } from './scenarios/jobs.mjs';
import { quotas } from './scenarios/quotas.mjs';
import { services } from './scenarios/services.mjs';
import { statefulSets } from './scenarios/stateful-sets.mjs';
import { retention, volumes } from './scenarios/volumes.mjs';
import { createNode, playOnce, refreshNode } from './player.mjs';

/** The scenarios that are recorded with the upstream controllers and replayed with ours. */
export const scenarios = {
  ...deployments,
  ...statefulSets,
  ...jobs,
  ...services,
  ...collecting,
  ...budgets,
  ...volumes,
  ...retention,
  ...daemonSets,
  ...cronJobs,
  ...quotas,
  ...autoscalers,
  ...credentials,
};

export { createNode, refreshNode };

/** Runs a scenario in its own namespace while the player acts as the node. Returns the recorded states. */
export async function runScenario(name, { call, namespace, pause, patience }) {
  await call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const session = new Session({ call, namespace, pause, patience });
  await session.until('the service account', () => session.get('serviceaccounts', 'default'));
  let playing = true;
  const player = (async () => {
    while (playing) {
      await playOnce(call, [namespace]);
      await pause();
    }
  })();
  try {
    await scenarios[name](session);
  } finally {
    playing = false;
    await player;
    await call('DELETE', `/api/v1/namespaces/${namespace}`);
    await session.cleanUp();
  }
  return session.pictures;
}
