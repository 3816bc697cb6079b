import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { polled } from './polled.ts';
import { type Note, NoteKind, noteDefinition } from './programs/note.ts';

/** An embedded cluster that serves the notes of these tests. */
export class NoteCluster implements AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  readonly client: KubernetesClient;
  readonly #folder: string;

  private constructor(cluster: EmbeddedCluster, folder: string) {
    this.cluster = cluster;
    this.client = cluster.client();
    this.#folder = folder;
  }

  static async start(): Promise<NoteCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'kw-notes-'));
    const directory = join(folder, 'cluster');
    const cluster = await EmbeddedCluster.start({
      directory,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    });
    const started = new NoteCluster(cluster, folder);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await started.client.request({ method: 'POST', path, body: noteDefinition });
    const isServed = async (): Promise<boolean> =>
      (await started.notes('default').catch(() => undefined)) !== undefined;
    await polled(isServed, 'the kind is served');
    return started;
  }

  async notes(namespace: string): Promise<readonly Note[]> {
    return (await this.client.resource(NoteKind).list({ namespace })).items;
  }

  /** Writes a note as a user does. */
  writeNote(namespace: string, text: string, name = 'a'): Promise<Note> {
    const note = { apiVersion: 'runtime.example.com/v1', kind: 'Note', metadata: { name, namespace }, spec: { text } };
    return this.client.resource(NoteKind).apply(note, { fieldManager: 'user', force: true });
  }

  async makeNamespace(name: string): Promise<void> {
    await this.client.resource(Namespace).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
