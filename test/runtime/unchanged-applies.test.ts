import type { KubernetesObject } from '@kubewright/apimachinery';
import { Deployment, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { controller, jsonLogger, Manager } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';
import { type Note, NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const key = { namespace: 'default', name: 'unchanged' };
const labels = { app: key.name };

/** A ConfigMap with an empty map, which the server drops. */
const withEmptyMap = ({ spec }: Note): ConfigMap =>
  ConfigMap({ metadata: { name: key.name, labels: {} }, data: { text: spec.text } });

/** A StatefulSet with claim templates, an atomic list to which the server adds defaults. */
const withClaims = (): StatefulSet =>
  StatefulSet({
    metadata: { name: key.name },
    spec: {
      replicas: 0,
      serviceName: key.name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
      volumeClaimTemplates: [
        PersistentVolumeClaim({
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        }),
      ],
    },
  });

/** A Deployment with an atomic reference, to which the server adds the apiVersion. */
const withReference = (): Deployment => {
  const env = [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }];
  const spec = { containers: [{ name: 'main', image: 'busybox', env }] };
  return Deployment({
    metadata: { name: key.name },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
};

describe('an apply whose result differs from what was sent', () => {
  it('is sent once, and again when the applied fields change', async () => {
    const applied: string[] = [];
    const findings: unknown[] = [];
    let runs = 0;
    const client = cluster.client.intercepted(async (call, next) => {
      if (call.verb === 'apply' && call.target) applied.push(call.target.kind);
      return next(call);
    });
    const log = jsonLogger({
      destination: {
        write: (text) => {
          const line = JSON.parse(text) as { readonly code?: string };
          if (line.code !== undefined) findings.push(line);
        },
      },
    });
    const children = controller({
      for: NoteKind,
      name: 'unchanged',
      owns: [ConfigMap, StatefulSet, Deployment],
      desired: (note) => {
        runs++;
        return { children: [withEmptyMap(note), withClaims(), withReference()] };
      },
    });
    await using manager = new Manager({
      controllers: [children],
      client,
      log,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    const admin = cluster.client;
    const read = async (): Promise<readonly KubernetesObject[]> =>
      Promise.all([
        admin.resource(ConfigMap).get(key),
        admin.resource(StatefulSet).get(key),
        admin.resource(Deployment).get(key),
      ]);
    const ran = async (act: () => Promise<unknown>): Promise<void> => {
      const before = runs;
      await act();
      await polled(() => runs > before, 'a reconcile');
    };
    const annotate = (value: string) =>
      ({ type: 'merge', body: { metadata: { annotations: { look: value } } } }) as const;

    await cluster.writeNote('default', 'one', key.name);
    await polled(
      () =>
        read().then(
          () => true,
          () => false,
        ),
      'the children',
    );
    await polled(() => applied.length >= 3, 'three applies');
    for (let look = 0; look < 6; look++) {
      // Changes that a controller or a user makes to other fields of the children.
      await ran(() => admin.resource(ConfigMap).patch(key, annotate(`${look}`)));
      await ran(() => admin.resource(StatefulSet).patch(key, annotate(`${look}`)));
      await ran(() => admin.resource(Deployment).patch(key, annotate(`${look}`)));
    }
    expect(applied).toEqual(['ConfigMap', 'StatefulSet', 'Deployment']);
    expect(findings).toEqual([]);

    const reverts = async (
      kind: string,
      act: () => Promise<unknown>,
      isBack: () => Promise<boolean>,
    ): Promise<void> => {
      applied.length = 0;
      await act();
      await polled(isBack, `the ${kind} is applied again`);
      expect(applied).toEqual([kind]);
    };
    await reverts(
      'ConfigMap',
      () => admin.resource(ConfigMap).patch(key, { type: 'merge', body: { data: { text: 'theirs' } } }),
      async () => (await admin.resource(ConfigMap).get(key)).data?.['text'] === 'one',
    );
    await reverts(
      'StatefulSet',
      () => admin.resource(StatefulSet).patch(key, { type: 'merge', body: { spec: { replicas: 1 } } }),
      async () => (await admin.resource(StatefulSet).get(key)).spec?.replicas === 0,
    );
    await reverts(
      'Deployment',
      () =>
        admin.resource(Deployment).patch(key, {
          type: 'json',
          body: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'theirs' }],
        }),
      async () => (await admin.resource(Deployment).get(key)).spec?.template.spec?.containers[0]?.image === 'busybox',
    );

    applied.length = 0;
    await cluster.writeNote('default', 'two', key.name);
    await polled(async () => (await admin.resource(ConfigMap).get(key)).data?.['text'] === 'two', 'the new text');
    expect(applied).toEqual(['ConfigMap']);
  });
});
