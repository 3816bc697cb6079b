import { SubjectAccessReview } from '@kubewright/apimachinery/authorization/v1';
import { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { defined, SigningRequest } from '@kubewright/apimachinery/internal';
import { controller, type ReconcileContext, type ReconcileOutcome } from '@kubewright/runtime';
import { clusterLogEvents } from '../../log/cluster-log-events.ts';
import type { BuiltInController } from '../built-in-controller.ts';
import { isDecided, requestText } from './certificate-request.ts';
import { kubeletClient, signerRules } from './signer-rules.ts';

/**
 * Approves requests for kubelet client certificates if the requester may create `certificatesigningrequests/selfnodeclient` or
 * `…/nodeclient`. Mirrors the approving controller (1.36).
 */
export function certificateApprover(): BuiltInController {
  return {
    account: 'certificate-controller',
    definition: controller({ name: 'csrapproving', for: CertificateSigningRequest, reconcile: approve }),
  };
}

async function approve(
  csr: CertificateSigningRequest,
  ctx: ReconcileContext<CertificateSigningRequest>,
): Promise<ReconcileOutcome> {
  if (csr.status?.certificate || isDecided(csr) || csr.spec.signerName !== kubeletClient) return undefined;
  const request = new SigningRequest(requestText(csr));
  const { usages = [], username = '' } = csr.spec;
  if (signerRules.get(kubeletClient)?.({ request, usages }) !== undefined) return undefined;
  const permissions = username === request.commonName ? ['selfnodeclient', 'nodeclient'] : ['nodeclient'];
  for (const subresource of permissions) {
    if (!(await isAllowed(csr, { subresource, ctx }))) continue;
    const what = subresource === 'selfnodeclient' ? 'self kubelet client certificate' : 'kubelet client certificate';
    const message = `Auto approving ${what} after SubjectAccessReview.`;
    const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message } as const;
    const conditions = [...(csr.status?.conditions ?? []), approved];
    await ctx.client
      .resource(CertificateSigningRequest)
      .subresource<CertificateSigningRequest>('approval')
      .update({ ...csr, status: { ...csr.status, conditions } }, { signal: ctx.signal });
    return undefined;
  }
  ctx.log.debug('the requester is not permitted to have this certificate', {
    event: clusterLogEvents.certificateNotPermitted,
    permissions,
  });
  // The permission may be granted later, so retry with backoff, as upstream does.
  return { requeue: true };
}

async function isAllowed(
  { spec }: CertificateSigningRequest,
  { subresource, ctx }: { readonly subresource: string; readonly ctx: ReconcileContext<CertificateSigningRequest> },
): Promise<boolean> {
  const { username: user = '', uid, groups, extra } = spec;
  const resource = 'certificatesigningrequests';
  const resourceAttributes = { group: 'certificates.k8s.io', resource, verb: 'create', subresource, version: '*' };
  const review = SubjectAccessReview({
    metadata: {},
    spec: defined({ user, uid, groups, extra, resourceAttributes }),
  });
  const { status } = await ctx.client.resource(SubjectAccessReview).create(review, { signal: ctx.signal });
  return status?.allowed ?? false;
}
