import { SigningRequest, sameJson } from '@kubewright/apimachinery/internal';
import type { AdmissionAttributes, AdmissionPlugin, Authorizer } from '@kubewright/apiserver';
import { handles } from './handles.ts';
import { rejection } from './rejection.ts';

interface Request {
  readonly spec?: { readonly signerName?: string; readonly request?: string };
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly unknown[] };
}

const handlesRequests = handles('certificates.k8s.io', 'certificatesigningrequests');

/** Restricts approving and denying a certificate request to users with the verb `approve` on its signer. */
function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: handlesRequests,
    async validate(attributes): Promise<void> {
      if (!isWriteOf(attributes, 'approval', 'UPDATE')) return;
      await requireFor('approve', attributes, authorizer);
    },
  };
}

/** Restricts setting a certificate or a condition to users with the verb `sign` on the request's signer. */
function certificateSigning(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: handlesRequests,
    async validate(attributes): Promise<void> {
      if (!isWriteOf(attributes, 'status', 'UPDATE')) return;
      const [old, now] = [statusOf(attributes.oldObject), statusOf(attributes.object)];
      if (old.certificate === now.certificate && sameJson(old.conditions ?? [], now.conditions ?? [])) return;
      await requireFor('sign', attributes, authorizer);
    },
  };
}

/** Rejects certificate requests for the group `system:masters`. */
const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: handlesRequests,
  async validate(attributes): Promise<void> {
    if (!isWriteOf(attributes, '', 'CREATE')) return;
    const { spec } = attributes.object as Request;
    const signer = 'kubernetes.io/kube-apiserver-client';
    if (spec?.signerName !== signer) return;
    if (!requestIn(attributes).organizations.includes('system:masters')) return;
    throw rejection(attributes, `use of ${signer} signer with system:masters group is not allowed`);
  },
};

/** Returns the admission plugins for certificate signing requests (1.36). */
export function certificateAdmission(authorizer: Authorizer): readonly AdmissionPlugin[] {
  return [certificateApproval(authorizer), certificateSigning(authorizer), certificateSubjectRestriction];
}

function isWriteOf(
  { subresource, operation }: AdmissionAttributes,
  part: 'approval' | 'status' | '',
  wanted: AdmissionAttributes['operation'],
): boolean {
  return subresource === part && operation === wanted;
}

function statusOf(object: object | undefined): NonNullable<Request['status']> {
  return (object as Request | undefined)?.status ?? {};
}

/** Checks a permission on the signer, or on all signers of its domain (`example.com/*`). */
async function requireFor(
  verb: 'approve' | 'sign',
  attributes: AdmissionAttributes,
  authorizer: Authorizer,
): Promise<void> {
  // Check the signer of the stored request: the update might name another signer.
  const signer = (attributes.oldObject as Request | undefined)?.spec?.signerName ?? '';
  for (const name of [signer, `${signer.split('/', 1)[0]}/*`]) {
    const resource = {
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
    };
    const decided = await authorizer.authorize({ user: attributes.user, verb, resource: { ...resource, name } });
    if (decided.decision === 'allow') return;
  }
  throw rejection(attributes, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
}

function requestIn(attributes: AdmissionAttributes): SigningRequest {
  const { spec } = attributes.object as Request;
  try {
    return new SigningRequest(Buffer.from(spec?.request ?? '', 'base64').toString('latin1'));
  } catch (error) {
    throw rejection(attributes, `failed to parse CSR: ${error instanceof Error ? error.message : String(error)}`);
  }
}
