/** The text contains no CustomResourceDefinition, not the requested version, or one that the API server would reject. */
export class ImportError extends Error {
  readonly code = 'KW6601';

  constructor(what: string, fix: string, options?: ErrorOptions) {
    super(`cannot generate types for this CRD: ${what}; ${fix}`, options);
    this.name = 'ImportError';
  }
}
