/** The version of all of Kubewright's packages; a test compares it with package.json. */
export const version = '0.1.0';
