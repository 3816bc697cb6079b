export { type ErrorText, KubewrightError } from './kubewright-error.ts';
