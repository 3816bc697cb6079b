import { ageOf } from '@kubewright/apiserver/internal';
import type {
  MutatingAdmissionPolicy,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../generated/drafts.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

const group = 'admissionregistration.k8s.io/v1';

/** Table rows of the admissionregistration group. */
export const admissionregistrationCells: readonly CellsEntry[] = [
  ...['mutating', 'validating'].flatMap((kind) => [
    cellsOf<ValidatingWebhookConfiguration>(
      `${group}/${kind}webhookconfigurations`,
      ({ metadata, webhooks }, nowMs) => [
        metadata.name,
        (webhooks ?? []).length,
        ageOf(metadata.creationTimestamp, nowMs),
      ],
    ),
    cellsOf<ValidatingAdmissionPolicyBinding>(
      `${group}/${kind}admissionpolicybindings`,
      ({ metadata, spec }, nowMs) => [
        metadata.name,
        spec.policyName ?? '',
        parameterOf(spec),
        ageOf(metadata.creationTimestamp, nowMs),
      ],
    ),
  ]),
  cellsOf<ValidatingAdmissionPolicy>(`${group}/validatingadmissionpolicies`, ({ metadata, spec }, nowMs) => [
    metadata.name,
    (spec.validations ?? []).length,
    paramKindOf(spec.paramKind),
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<MutatingAdmissionPolicy>(`${group}/mutatingadmissionpolicies`, ({ metadata, spec }, nowMs) => [
    metadata.name,
    (spec.mutations ?? []).length,
    paramKindOf(spec.paramKind),
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
];

function paramKindOf(kind: ParamKind | undefined): string {
  return kind ? `${kind.apiVersion}/${kind.kind}` : '<unset>';
}

function parameterOf({ paramRef }: ValidatingAdmissionPolicyBinding['spec']): string {
  if (!paramRef?.name) return '<unset>';
  return `${paramRef.namespace || '*'}/${paramRef.name}`;
}
