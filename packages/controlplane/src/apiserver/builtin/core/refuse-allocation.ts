import { type FieldError, invalid } from '@kubewright/apimachinery';
import type { Service } from '../generated/drafts.ts';

/** Refuses a service whose address or port cannot be had. */
export function refuseAllocation(service: Service, fault: FieldError): never {
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [fault]);
}
