import { type FieldError, FieldPath, forbiddenField } from '@kubewright/apimachinery';
import type { CertificateSigningRequest as Request } from '../generated/drafts.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';

const RESOURCE = 'certificates.k8s.io/v1/certificatesigningrequests';
const STATUS = FieldPath.of('status');

/** Rules of certificate signing requests: what is decided stays, and each view may do only its part. */
export const certificateValidation: readonly ValidationEntry[] = [
  validationOf<Request>(RESOURCE, { validateUpdate: (request, old) => decisionFaults(request, { old, view: 'main' }) }),
  validationOf<Request>(`${RESOURCE}/status`, {
    validateUpdate: (request, old) => decisionFaults(request, { old, view: 'status' }),
  }),
  validationOf<Request>(`${RESOURCE}/approval`, {
    validateUpdate: (request, old) => decisionFaults(request, { old, view: 'approval' }),
  }),
];

function decisionFaults(
  request: Request,
  { old, view }: { readonly old: Request; readonly view: 'main' | 'status' | 'approval' },
): readonly FieldError[] {
  const path = STATUS.child('conditions');
  const count = ({ status }: Request, type: string): number =>
    (status.conditions ?? []).filter((condition) => condition.type === type).length;
  const faults = ['Approved', 'Denied', 'Failed']
    .filter((type) => count(request, type) < count(old, type))
    .map((type) => forbiddenField(path, `updates may not remove a condition of type "${type}"`));
  if (view !== 'approval') {
    const added = ['Approved', 'Denied'].filter((type) => count(request, type) > count(old, type));
    faults.push(...added.map((type) => forbiddenField(path, `updates may not add a condition of type "${type}"`)));
  }
  const { certificate } = request.status;
  if ((certificate ?? '') === (old.status.certificate ?? '')) return faults;
  const at = STATUS.child('certificate');
  if (view !== 'status') return [...faults, forbiddenField(at, 'updates may not set certificate content')];
  if (!old.status.certificate) return faults;
  return [...faults, forbiddenField(at, 'updates may not modify existing certificate content')];
}
