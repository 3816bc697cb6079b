import type { RequestContext } from '../endpoints/request-context.ts';
import type { ApiResponse } from '../http/api-request.ts';

/** A group version that another server answers for, as discovery shows it. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Its entry in the aggregated document; absent until that server was asked for the first time. */
  readonly entry: object | undefined;
}

/** What discovery and OpenAPI know of other servers' groups. Live. */
export interface RemoteGroups {
  /** Changes with every change. */
  readonly generation: number;
  versions(): readonly RemoteVersion[];
  /** OpenAPI documents by name (`apis/<group>/<version>`), with the URL under which their server has them. */
  openApiPaths(): ReadonlyMap<string, string>;
  /** Fetches such a document as its server has it. */
  openApiDocument(name: string, context: RequestContext): Promise<ApiResponse>;
}
