import { systemClock } from '@kubewright/apimachinery';
import { apiServer, openEtcdStorage } from '@kubewright/apiserver';
import { Well, wellDefinition } from '../../../packages/apiserver/src/testdata/wells.ts';

/** One replica of a server on a shared etcd; prints its address. Takes the URLs of etcd's members. Anyone may do anything. */
const servers = process.argv.slice(2);
const server = apiServer({
  kinds: [Well],
  definitions: { kinds: [wellDefinition] },
  storage: await openEtcdStorage({ servers, clock: systemClock }),
  authenticators: [{ authenticate: async () => ({ username: 'anyone', groups: [] }) }],
  authorizer: { authorize: async () => ({ decision: 'allow', reason: '' }) },
});
await server.start();
process.stdout.write(`${JSON.stringify({ url: server.url, authority: server.authority })}\n`);
