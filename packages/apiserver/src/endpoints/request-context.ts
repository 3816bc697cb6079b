import type { AdmissionAttributes } from '../admission/admission-plugin.ts';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { RequestInfo } from '../request-info/index.ts';
import type { WarningList } from './warnings.ts';

/** A request with its parsed info and authenticated user. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly warnings: WarningList;
  /** Adds an annotation to the request's audit event. Absent if there is no audit log. */
  readonly annotate?: AdmissionAttributes['annotate'];
  /** Identifies the request in the logs of this server and of servers it is forwarded to. */
  readonly auditId?: string | undefined;
}
