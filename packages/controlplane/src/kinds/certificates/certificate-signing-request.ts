import { formatTime } from '@kubewright/apimachinery/internal';
import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type {
  CertificateSigningRequestCondition as Condition,
  CertificateSigningRequest as Request,
} from '../generated/drafts.ts';

/** Certificate signing requests. The requester's identity comes from authentication, never from the object. */
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
  subresources: {
    status: {
      resets: [['spec'], ['status', 'conditions']],
      prepareForUpdate(request, old, { clock }) {
        const kept = withDecisions(request.status.conditions ?? [], old.status.conditions ?? []);
        const conditions = stamped(kept, { old, now: formatTime(clock.now()) });
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

/**
 * Restores the stored `Approved` and `Denied` conditions. If an update adds or removes one, keeps the conditions of the
 * update, so that validation rejects it.
 */
function withDecisions(conditions: readonly Condition[], old: readonly Condition[]): readonly Condition[] {
  const left = new Map(['Approved', 'Denied'].map((type) => [type, old.filter((one) => one.type === type)]));
  for (const [type, before] of left) {
    if (conditions.filter((one) => one.type === type).length !== before.length) left.delete(type);
  }
  return conditions.map((condition) => left.get(condition.type)?.shift() ?? condition);
}

/** Sets the times that a condition lacks. */
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
