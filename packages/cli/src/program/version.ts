/** The version of all Kubewright packages; a test compares it with package.json. */
export const version = '0.1.0';
