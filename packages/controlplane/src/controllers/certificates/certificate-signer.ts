import * as crypto from 'node:crypto';
import { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { type CertificateSubject, formatTime, type KeyPair, SigningRequest } from '@kubewright/apimachinery/internal';
import { controller, type ReconcileContext } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { hasCondition, requestText } from './certificate-request.ts';
import { signerRules, validity } from './signer-rules.ts';

/** A certificate authority: its key, its certificate, and the certificate's subject. */
export interface SigningAuthority extends KeyPair {
  readonly subject: CertificateSubject;
}

/**
 * Signs approved requests for the signers `kubernetes.io/kubelet-serving`, `…/kube-apiserver-client-kubelet`,
 * `…/kube-apiserver-client` and `…/legacy-unknown`. Mirrors the signing controllers (1.36).
 */
export function certificateSigner({ signer }: { readonly signer: SigningAuthority }): BuiltInController {
  return {
    account: 'certificate-controller',
    definition: controller({
      name: 'csrsigning',
      for: CertificateSigningRequest,
      reconcile: (csr, ctx) => sign(csr, { ctx, signer }),
    }),
  };
}

async function sign(
  csr: CertificateSigningRequest,
  { ctx, signer }: { readonly ctx: ReconcileContext<CertificateSigningRequest>; readonly signer: SigningAuthority },
): Promise<undefined> {
  const rule = signerRules.get(csr.spec.signerName);
  if (!rule || csr.status?.certificate || !hasCondition(csr, 'Approved') || hasCondition(csr, 'Failed'))
    return undefined;
  const request = new SigningRequest(requestText(csr));
  const { usages = [], expirationSeconds } = csr.spec;
  const requests = ctx.client.resource(CertificateSigningRequest);
  const fault = rule({ request, usages });
  if (fault !== undefined) {
    const lastUpdateTime = formatTime(ctx.clock.now());
    const reason = 'SignerValidationFailure';
    const failed = { type: 'Failed', status: 'True', reason, message: fault, lastUpdateTime } as const;
    const conditions = [...(csr.status?.conditions ?? []), failed];
    await requests.status.update({ ...csr, status: { ...csr.status, conditions } }, { signal: ctx.signal });
    return undefined;
  }
  if (!request.isAuthentic(crypto)) {
    throw new Error('error auto signing csr: unable to verify certificate request signature');
  }
  const authorityEndsMs = Date.parse(new crypto.X509Certificate(signer.certificate).validTo);
  const life = validity(expirationSeconds, { nowMs: ctx.clock.now(), authorityEndsMs });
  const certificate = Buffer.from(request.issue({ usages, ...life, issuer: signer }, crypto)).toString('base64');
  await requests.status.update({ ...csr, status: { ...csr.status, certificate } }, { signal: ctx.signal });
  return undefined;
}
