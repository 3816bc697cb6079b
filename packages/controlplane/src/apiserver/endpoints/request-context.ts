import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { RequestInfo } from '../request-info/index.ts';
import type { WarningList } from './warnings.ts';

/** One request, once it is known what it asks and who asks. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly warnings: WarningList;
  /** By which the request is found in logs, here and with whom it is passed on to. */
  readonly auditId?: string | undefined;
}
