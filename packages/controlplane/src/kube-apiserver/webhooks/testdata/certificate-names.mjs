/** The names in the webhook server's certificate. `localhost` is missing on purpose. */
export const CERTIFICATE_NAMES = { dns: ['hooks.wh-rec.svc'], ip: ['127.0.0.1'] };
