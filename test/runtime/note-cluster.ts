import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNotFound } from '@kubewright/apimachinery';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { type Environment, isExisting, startEnvironment } from '../environment/environment.ts';
import { polled } from './polled.ts';
import { type Note, NoteKind, noteDefinition } from './programs/note.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A cluster that serves the notes of these tests: an embedded or an existing cluster. */
export class NoteCluster implements AsyncDisposable {
  readonly client: KubernetesClient;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly #environment: Environment;
  readonly #folder: string;
  readonly #namespaces: string[] = [];

  private constructor(environment: Environment, folder: string) {
    this.client = environment.client;
    this.kubeconfig = environment.kubeconfig;
    this.#environment = environment;
    this.#folder = folder;
  }

  static async start(): Promise<NoteCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'kw-notes-'));
    const started = new NoteCluster(await startEnvironment(folder), folder);
    await started.client.request({ method: 'POST', path: definitions, body: noteDefinition });
    const isServed = async (): Promise<boolean> =>
      (await started.notes('default').catch(() => undefined)) !== undefined;
    await polled(isServed, 'the kind is served');
    return started;
  }

  async notes(namespace: string): Promise<readonly Note[]> {
    return (await this.client.resource(NoteKind).list({ namespace })).items;
  }

  /** Writes a note like a user. */
  writeNote(namespace: string, text: string, name = 'a'): Promise<Note> {
    const note = { apiVersion: 'runtime.example.com/v1', kind: 'Note', metadata: { name, namespace }, spec: { text } };
    return this.client.resource(NoteKind).apply(note, { fieldManager: 'user', force: true });
  }

  async makeNamespace(name: string): Promise<void> {
    this.#namespaces.push(name);
    await this.client.resource(Namespace).create(Namespace({ metadata: { name } }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (isExisting()) await this.#leaveNothing();
    await this.#environment[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Deletes the test's objects, because the next test needs an unchanged cluster. */
  async #leaveNothing(): Promise<void> {
    const { client } = this;
    // Removes finalizers, because the operator that would remove them has stopped.
    const { items } = await client.resource(NoteKind).list();
    for (const { metadata } of items) {
      const key = { namespace: metadata.namespace, name: metadata.name };
      await client.resource(NoteKind).patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
    }
    const gone = async (path: string): Promise<void> => {
      await client.request({ method: 'DELETE', path });
      const isGone = async (): Promise<boolean> => isNotFound(await client.request({ path }).catch((error) => error));
      await polled(isGone, `${path} is gone`, 60_000);
    };
    await Promise.all(this.#namespaces.map((name) => gone(`/api/v1/namespaces/${name}`)));
    await gone(`${definitions}/notes.runtime.example.com`);
  }
}
