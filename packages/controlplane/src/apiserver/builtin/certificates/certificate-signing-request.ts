import { formatTime } from '@kubewright/apimachinery';
import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type {
  CertificateSigningRequestCondition as Condition,
  CertificateSigningRequest as Request,
} from '../generated/drafts.ts';

/** Certificate signing requests: who asks is what authentication says, never what the object says. */
export const certificateSigningRequests: BuiltinKind = builtinKind<Request>({
  resource: 'certificates.k8s.io/v1/certificatesigningrequests',
  struct: 'certificatesv1.CertificateSigningRequest',
  resets: [['spec'], ['status']],
  strategy: {
    prepareForCreate({ spec }, { user }) {
      spec.username = user.username;
      spec.groups = [...user.groups];
      if (user.uid) spec.uid = user.uid;
      else delete spec.uid;
      if (user.extra)
        spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]));
      else delete spec.extra;
    },
    prepareForUpdate(request, old) {
      request.spec = structuredClone(old.spec);
    },
  },
  views: {
    status: {
      resets: [['spec'], ['status', 'conditions']],
      prepareForUpdate(request, old, { clock }) {
        const decided = (old.status.conditions ?? []).filter(({ type }) => type === 'Approved' || type === 'Denied');
        const others = (request.status.conditions ?? []).filter(({ type }) => type !== 'Approved' && type !== 'Denied');
        const conditions = stamped([...decided, ...others], { old, now: formatTime(clock.now()) });
        if (conditions.length > 0) request.status.conditions = conditions;
      },
    },
    approval: {
      resets: [['spec'], ['status', 'certificate']],
      prepareForUpdate(request, old, { clock }) {
        const conditions = stamped(request.status.conditions ?? [], { old, now: formatTime(clock.now()) });
        request.status = structuredClone(old.status);
        if (conditions.length > 0) request.status.conditions = conditions;
        else delete request.status.conditions;
      },
    },
  },
  fieldLabels: { 'spec.signerName': ({ spec }) => spec.signerName },
});

/** Fills the times that the writer of a condition left out. */
function stamped(
  conditions: readonly Condition[],
  context: { readonly old: Request; readonly now: string },
): Condition[] {
  return conditions.map((condition) => {
    const before = (context.old.status.conditions ?? []).find(({ type }) => type === condition.type);
    const lastUpdateTime = condition.lastUpdateTime ?? context.now;
    const unchanged = before?.status === condition.status ? before.lastTransitionTime : undefined;
    return {
      ...condition,
      lastUpdateTime,
      lastTransitionTime: condition.lastTransitionTime ?? unchanged ?? context.now,
    };
  });
}
