import { type FieldError, invalid } from '@kubewright/apimachinery';
import type { Service } from '../generated/drafts.ts';

/** Rejects a service whose address or port cannot be allocated. */
export function refuseAllocation(service: Service, fault: FieldError): never {
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [fault]);
}
