/** A check of `/healthz` or `/readyz`: passes if it returns, fails if it throws or rejects. */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;
