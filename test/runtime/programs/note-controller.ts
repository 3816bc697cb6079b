import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { type ControllerDefinition, controller } from '@kubewright/runtime';
import { NoteKind } from './note.ts';

/** Keeps a copy of each note's text in a ConfigMap with the same name, and records the writer in both. */
export function noteController(options: { readonly by: string; readonly fenced: boolean }): ControllerDefinition {
  const { by, fenced } = options;
  return controller({
    for: NoteKind,
    owns: [ConfigMap],
    fenced,
    // All replicas use the same field manager, so that each replica owns the fields that the others applied.
    fieldManager: 'note',
    async reconcile(note, ctx) {
      const { name } = note.metadata;
      const live = await ctx.get(ConfigMap, { namespace: ctx.request.namespace ?? '', name });
      if (live?.data?.['text'] !== note.spec.text || live.metadata.ownerReferences?.[0]?.uid !== note.metadata.uid) {
        const data = { text: note.spec.text, by };
        await ctx.apply(ConfigMap({ metadata: { name }, data }) satisfies ConfigMap);
      }
      if (note.status?.text !== note.spec.text) await ctx.setStatus({ by, text: note.spec.text });
    },
  });
}
