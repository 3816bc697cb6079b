/** The version of this package, as written into generated manifests; a test compares it with package.json. */
export const version = '0.1.0';
