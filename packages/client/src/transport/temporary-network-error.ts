const codes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);

/** True for errors of the network that a retry may resolve: a lost connection, a timeout, or DNS that does not respond. */
export function isTemporaryNetworkError(error: unknown): boolean {
  return codes.has((error as { readonly code?: unknown } | null | undefined)?.code);
}
