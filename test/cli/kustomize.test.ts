import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kustomize } from '../../packages/cli/src/render/kustomize.ts';
import { isMissing } from '../main-job/user-shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'kw-kustomize-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(objects: string): void {
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    'namespace: shop-system\nnamePrefix: shop-\nresources: [all.yaml]\nimages: [{name: x, newName: example.com/y, newTag: v2}]\n',
  );
  writeFileSync(join(folder, 'all.yaml'), objects);
}

const pod = `
      serviceAccountName: runner
      priorityClassName: high
      imagePullSecrets: [{name: creds}, {name: other}]
      initContainers: [{name: i, image: 'x:v1', envFrom: [{secretRef: {name: creds}}]}]
      containers:
      - name: main
        image: x
        envFrom: [{configMapRef: {name: settings}}, {configMapRef: {name: other}}]
        env: [{name: P, valueFrom: {secretKeyRef: {name: creds, key: k}}}, {name: Q, valueFrom: {configMapKeyRef: {name: settings, key: k}}}]
      volumes:
      - {name: a, configMap: {name: settings}}
      - {name: b, secret: {secretName: creds}}
      - {name: c, persistentVolumeClaim: {claimName: data}}
      - {name: d, projected: {sources: [{configMap: {name: settings}}, {secret: {name: creds}}]}}`;
const used = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}
---
{apiVersion: v1, kind: Secret, metadata: {name: creds}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner}, imagePullSecrets: [{name: creds}]}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: system}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: budget}, spec: {minAvailable: 1}}
---
{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.example.com}, spec: {service: {name: web, namespace: system}}}
---
{apiVersion: example.com/v1, kind: Ox, metadata: {name: ox}, spec: {secretName: creds}}
---`;
const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:${pod}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: '0 3 * * *'
  jobTemplate:
    spec:
      template:
        spec:${pod.replaceAll('\n', '\n    ')}
`;

describe('kustomize', () => {
  it.skipIf(isMissing('kubectl'))('renames objects and their references like kubectl', () => {
    write(used + workloads);
    const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
    const theirs = parseAllDocuments(text).map((each) => each.toJS() as UnstructuredObject);
    const byName = (objects: readonly UnstructuredObject[]): Record<string, UnstructuredObject> =>
      Object.fromEntries(objects.map((each) => [`${each.kind} ${each.metadata?.name}`, each]));
    expect(byName(kustomize(folder, { root: folder }))).toEqual(byName(theirs));
  });

  // kubectl 1.32 adds a namespace because it does not know the kind.
  it('adds no namespace to a cluster-scoped kind', () => {
    write('{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: policy}}');
    expect(kustomize(folder, { root: folder })).toMatchObject([{ metadata: { name: 'shop-policy' } }]);
    expect(kustomize(folder, { root: folder })[0]?.metadata).not.toHaveProperty('namespace');
  });

  it('rejects a built-in kind whose references it does not know', () => {
    write('{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}}');
    expect(() => kustomize(folder, { root: folder })).toThrow(
      expect.objectContaining({ code: 'KW7504', message: expect.stringContaining('Ingress') }),
    );
  });
});
