export { type FolderFault, folderFault } from './folder-fault.ts';
export { nearestName } from './nearest-name.ts';
export { oneLine } from './one-line.ts';
export { quote } from './quote.ts';
