export { installLocalVolumes } from './install-local-volumes.ts';
export type { VolumeFolders } from './volume-folders.ts';
export { volumeProvisioner } from './volume-provisioner.ts';
