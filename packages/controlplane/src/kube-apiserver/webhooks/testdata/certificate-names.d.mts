export declare const CERTIFICATE_NAMES: { readonly dns: readonly string[]; readonly ip: readonly string[] };
