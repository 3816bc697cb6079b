import { generateKeyPairSync } from 'node:crypto';
import type { Clock, Random } from '@kubewright/apimachinery';
import { type Connection, MemoryStorage } from '@kubewright/apiserver';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { ControlPlane } from '../../kube-apiserver/control-plane.ts';
import { adminIdentity } from '../identities.ts';

/** Options for {@link inMemoryServer}. */
export interface InMemoryServerOptions {
  /** Clock of the server, for example for `creationTimestamp`. */
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Starts an API server for one unit test, and returns an administrator's client. The server consists only of objects in memory:
 * it has no socket, controllers or files, so you need not stop it.
 */
export async function inMemoryServer({ clock, random }: InMemoryServerOptions): Promise<KubernetesClient> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const errors: unknown[] = [];
  const plane = new ControlPlane({
    storage: new MemoryStorage({ clock }),
    clock,
    random,
    serviceAccountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    // Nothing creates the service account that pods would need.
    disabledAdmissionPlugins: ['ServiceAccount'],
    serverAddress: () => 'kubernetes.default.svc:443',
    onError: (error) => void errors.push(error),
  });
  await plane.start();
  const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate: adminIdentity } as const;
  const handle: typeof plane.handle = async (request) => {
    const response = await plane.handle(request);
    // An internal error is a bug in the server, not in the program under test.
    if (response.status === 500 && errors.length > 0) throw errors[0];
    return response;
  };
  // The client uses the system clock: nothing would advance a virtual clock while the client waits to retry.
  return new KubernetesClient({ transport: new InProcessTransport<Connection>({ handle, connection }), random });
}
