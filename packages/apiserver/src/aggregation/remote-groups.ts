import type { RequestContext } from '../endpoints/request-context.ts';
import type { ApiResponse } from '../http/api-request.ts';

/** A group version of another server, as shown in discovery. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Entry of the version in the aggregated document; absent until the first response of the other server. */
  readonly entry: object | undefined;
}

/** The groups of other servers, for discovery and OpenAPI. Always returns the current state. */
export interface RemoteGroups {
  /** Changes whenever the groups change. */
  readonly generation: number;
  versions(): readonly RemoteVersion[];
  /** Returns the OpenAPI documents by name (`apis/<group>/<version>`), with their URL on the remote server. */
  openApiPaths(): ReadonlyMap<string, string>;
  /** Fetches a document from its server. */
  openApiDocument(name: string, context: RequestContext): Promise<ApiResponse>;
}
