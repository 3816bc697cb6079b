import * as crypto from 'node:crypto';
import { issueCertificate, KubewrightError, type Stored } from '@kubewright/apimachinery';
import { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { formatTime, type KeyPair, SigningRequest } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';

const dayMs = 86_400_000;
const subject = { commonName: 'fake-signer' };

/** Thrown for a CertificateSigningRequest whose signature does not match its public key. */
class SigningRequestError extends KubewrightError {
  override readonly name = 'SigningRequestError';
  readonly code = 'KW8003';
}

/** Creates the authority that signs certificates, valid for ten years. */
export function signingAuthority(nowMs: number): KeyPair {
  const life = { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + 3650 * dayMs };
  return issueCertificate({ subject, usage: 'authority', ...life }, crypto);
}

/** Approves a request and issues its certificate, for any signer. */
export async function signRequest(
  client: KubernetesClient,
  { name, authority, nowMs }: { readonly name: string; readonly authority: KeyPair; readonly nowMs: number },
): Promise<Stored<CertificateSigningRequest>> {
  const requests = client.resource(CertificateSigningRequest);
  const csr = await requests.get({ name });
  const request = new SigningRequest(Buffer.from(csr.spec.request ?? '', 'base64').toString('latin1'));
  if (!request.isAuthentic(crypto)) {
    const why = 'the signature of the request does not match its public key';
    throw new SigningRequestError({ what: `cannot sign CertificateSigningRequest ${name}`, why });
  }
  const lastUpdateTime = formatTime(nowMs);
  const approved = {
    type: 'Approved',
    status: 'True',
    reason: 'ApprovedByTest',
    message: 'approved by FakeInfrastructure',
    lastUpdateTime,
  } as const;
  const others = (csr.status?.conditions ?? []).filter(({ type }) => type !== 'Approved');
  const approval = await requests
    .subresource<CertificateSigningRequest>('approval')
    .update({ ...csr, status: { ...csr.status, conditions: [...others, approved] } });
  const { usages = [], expirationSeconds } = csr.spec;
  const life = {
    notBeforeMs: nowMs,
    notAfterMs: nowMs + (expirationSeconds === undefined ? 365 * dayMs : expirationSeconds * 1_000),
  };
  const issued = request.issue({ usages, ...life, issuer: { key: authority.key, subject } }, crypto);
  const certificate = Buffer.from(issued).toString('base64');
  return requests.status.update({ ...approval, status: { ...approval.status, certificate } });
}
