export { admissionPlugins } from './admission-plugins.ts';
