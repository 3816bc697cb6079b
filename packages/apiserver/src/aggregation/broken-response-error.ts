import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown when the server behind an APIService aborts a response in transit. The connection to the client is aborted as
 * well.
 */
export class BrokenResponseError extends KubewrightError {
  override readonly name = 'BrokenResponseError';
  readonly code = 'KW5106';

  constructor(what: { readonly method: string; readonly path: string; readonly apiService: string }, cause: unknown) {
    const { method, path, apiService } = what;
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      {
        what: `the server behind the APIService ${apiService} aborted its response to ${method} ${path}`,
        why,
        remedy: 'read the log of this server; clients retry the request',
      },
      { cause },
    );
  }
}
