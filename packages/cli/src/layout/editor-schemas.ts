import { editorSchemas } from '@kubewright/codegen';
import { parseAllDocuments } from 'yaml';
import type { ProjectFile } from '../project/write-files.ts';

type Crd = Parameters<typeof editorSchemas>[0];

/** JSON schemas of the kinds among generated files, by which editors complete and check samples. */
export function editorSchemasOf(files: readonly ProjectFile[]): readonly ProjectFile[] {
  return files
    .filter(({ path }) => path.startsWith('config/crd/bases/'))
    .flatMap(({ text }) => parseAllDocuments(text))
    .flatMap((document) => editorSchemas(document.toJS() as Crd)); // the generator has just written it
}
