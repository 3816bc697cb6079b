import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Secret } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';

/** The type of Secrets that hold a service account token. */
export const tokenSecretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** The service account that a Secret names. The uid may be empty until the Secret is filled. */
export interface TokenAccount {
  readonly name: string;
  readonly uid: string;
}

/** Returns the service account that a Secret names. */
export function accountOf({ metadata }: Pick<KubernetesObject, 'metadata'>): TokenAccount {
  const { annotations = {} } = metadata;
  return { name: annotations[nameAnnotation] ?? '', uid: annotations[uidAnnotation] ?? '' };
}

/** True if the account exists and, if the Secret names a uid, has that uid. */
export function isAccount({ uid }: TokenAccount, account: KubernetesObject | undefined): boolean {
  return account !== undefined && (uid === '' || uid === account.metadata.uid);
}

/** The data that fills a token Secret. */
export interface TokenData {
  readonly account: TokenAccount;
  readonly ca: string;
  /** Issues a token. Called only if the Secret has no token. */
  readonly issue: () => string;
}

/**
 * Returns the Secret with its missing fields filled in: the CA certificate, the namespace and the token. Returns
 * undefined if the Secret is complete.
 */
export function filledSecret(secret: Stored<Secret>, { account, ca, issue }: TokenData): Secret | undefined {
  const { data = {}, metadata } = secret;
  const encodedCa = base64(ca);
  const needsCa = ca !== '' && data['ca.crt'] !== encodedCa;
  if (!needsCa && data['namespace'] && data['token']) return undefined;
  const annotations = { ...metadata.annotations, [nameAnnotation]: account.name, [uidAnnotation]: account.uid };
  return {
    ...secret,
    metadata: { ...metadata, annotations },
    data: {
      ...data,
      ...defined({ 'ca.crt': needsCa ? encodedCa : data['ca.crt'] }),
      namespace: data['namespace'] || base64(metadata.namespace),
      token: data['token'] || base64(issue()),
    },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
