import { type CustomResource, type DefinedKind, defineKind } from '@kubewright/runtime';

/** The kind that the operators of these tests reconcile. */
export type Note = CustomResource<{ readonly text: string }, { readonly by: string; readonly text: string }>;

export const NoteKind: DefinedKind<Note> = defineKind<Note['spec'], NonNullable<Note['status']>>({
  group: 'runtime.example.com',
  version: 'v1',
  kind: 'Note',
});

/** The CRD of the kind, to be created once. */
export const noteDefinition: Readonly<Record<string, unknown>> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'notes.runtime.example.com' },
  spec: {
    group: 'runtime.example.com',
    scope: 'Namespaced',
    names: { plural: 'notes', singular: 'note', kind: 'Note', listKind: 'NoteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
