/** Whom the webhook server's certificate is for: the addresses by which it is meant to be reached, not `localhost`. */
export const CERTIFICATE_NAMES = { dns: ['hooks.wh-rec.svc'], ip: ['127.0.0.1'] };
