import { isAlreadyExists, isConflict, isNotFound, type ObjectKey } from '@kubewright/apimachinery';
import { Secret } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import { type AuthorityPolicy, type AuthorityState, nextAuthorityState } from './authority-state.ts';
import { CertificateError } from './certificate-error.ts';

/** Options for {@link keepAuthority}. */
export interface KeepOptions {
  readonly client: KubernetesClient;
  readonly secret: ObjectKey;
  readonly policy: (kept: AuthorityState | undefined) => AuthorityPolicy;
  readonly signal: AbortSignal;
}

/** The state shared by all replicas, and a flag that reports whether this call changed it. */
export interface KeptAuthority {
  readonly state: AuthorityState;
  readonly isChanged: boolean;
}

/** Maximum number of steps and lost races per call; more than this means that another client undoes every step. */
const maxSteps = 20;

/**
 * Reads the authority's Secret and performs the steps that are due. Any number of replicas may run it concurrently: each write
 * carries the resourceVersion that was read, and a replica that loses the race reads again.
 *
 * @throws CertificateError (KW3030) when the Secret belongs to cert-manager.
 */
export async function keepAuthority(options: KeepOptions): Promise<KeptAuthority> {
  const { client, secret: key, policy, signal } = options;
  const secrets = client.resource(Secret);
  let isChanged = false;
  for (let step = 0; step < maxSteps; step++) {
    const found = await read(options);
    const kept = found && stateOf(found);
    const state = nextAuthorityState(kept, policy(kept));
    if (state === kept) return { state, isChanged };
    try {
      if (found) await secrets.update({ ...found, data: { ...found.data, ...dataOf(state) } }, { signal });
      else await secrets.create(newSecret(key, state), { signal });
      isChanged = true;
    } catch (error) {
      // Another replica wrote the Secret first; continue with the state that it wrote.
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }
  throw new CertificateError({
    what: `cannot write the certificates to Secret ${key.namespace}/${key.name}`,
    why: 'another program keeps changing the Secret',
    remedy: `run kubectl -n ${key.namespace} get secret ${key.name} -o yaml --show-managed-fields to find this program, and stop it`,
  });
}

/** Reads the current bundle from the Secret, in PEM format; `undefined` if none exists. */
export async function readBundle(
  options: Pick<KeepOptions, 'client' | 'secret' | 'signal'>,
): Promise<string | undefined> {
  const found = await read(options);
  return found && stateOf(found)?.bundle.join('');
}

async function read(options: Pick<KeepOptions, 'client' | 'secret' | 'signal'>): Promise<Secret | undefined> {
  const { client, secret: key, signal } = options;
  try {
    const found = await client.resource(Secret).get(key, { signal });
    const { annotations = {} } = found.metadata;
    if (Object.keys(annotations).some((each) => each.startsWith('cert-manager.io/')))
      throw new CertificateError({
        what: `cannot use Secret ${key.namespace}/${key.name}`,
        why: 'cert-manager manages this Secret',
        remedy: 'mount this Secret and use certificateFiles(), or pass another Secret to ownAuthority()',
      });
    return found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Reads the state from the conventional keys of a TLS Secret; `undefined` if the Secret is empty or damaged. */
function stateOf(secret: Secret): AuthorityState | undefined {
  const { data = {} } = secret;
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  const bundle = text('ca.crt').match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/g);
  if (!bundle) return undefined;
  return { key: text('ca.key'), bundle, serving: { key: text('tls.key'), certificate: text('tls.crt') } };
}

function dataOf(state: AuthorityState): Readonly<Record<string, string>> {
  const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
  return {
    'ca.crt': base64(state.bundle.join('')),
    'ca.key': base64(state.key),
    'tls.crt': base64(state.serving.certificate),
    'tls.key': base64(state.serving.key),
  };
}

function newSecret(key: ObjectKey, state: AuthorityState): Secret {
  const { name, namespace } = key;
  return Secret({
    metadata: {
      name,
      ...defined({ namespace }),
      labels: { 'app.kubernetes.io/managed-by': 'kubewright' },
    },
    type: 'kubernetes.io/tls',
    data: dataOf(state),
  });
}
