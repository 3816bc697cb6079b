import { readFileSync } from 'node:fs';
import { stored } from '@kubewright/apimachinery/testing';
import { importCrd } from '@kubewright/codegen';
import { describe, expect, it } from 'vitest';
import type { Database } from './api/database.ts';
import { passwordOf, secretFor, serviceFor, statefulSetFor } from './servers.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const db = (spec: Database['spec']) =>
  stored<Database>({
    apiVersion: 'stable.imaginedata.com/v1',
    kind: 'Database',
    metadata: { name: 'db', namespace: 'shop' },
    ...(spec && { spec }),
  });

describe('api/database.ts', () => {
  it('is what kubewright import crd prints for the CRD', () => {
    expect(read('src/api/database.ts')).toBe(importCrd(read('crd.yml')));
  });
});

describe('servers', () => {
  it('follow the five fields of the spec', () => {
    const given = db({ name: 'orders', port: 6000, 'storage-size': '50G', image: 'team/db', replicas: 3 });
    expect(serviceFor(given).spec).toMatchObject({ clusterIP: 'None', ports: [{ port: 6000 }] });
    const { spec } = statefulSetFor(given);
    const [server] = spec?.template.spec?.containers ?? [];
    expect(spec).toMatchObject({
      replicas: 3,
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '50G' } } } }],
    });
    expect(server).toMatchObject({ image: 'team/db', ports: [{ containerPort: 6000 }] });
    expect(server?.env).toContainEqual({ name: 'POSTGRES_DB', value: 'orders' });
  });

  it('have defaults, because the first definition requires no field', () => {
    const { spec } = statefulSetFor(db(undefined));
    expect(spec).toMatchObject({ replicas: 1, template: { spec: { containers: [{ image: 'postgres:17' }] } } });
    expect(serviceFor(db(undefined)).spec?.ports).toMatchObject([{ port: 5432 }]);
  });

  it('keep their password', () => {
    expect(passwordOf(secretFor(db({}), 'geheim'))).toBe('geheim');
    expect(passwordOf(undefined)).toBeUndefined();
  });
});
