import { describe, expect, it } from 'vitest';
import { defineKind } from '../kind/index.ts';
import { converter, spoke } from './converter.ts';
import { served } from './testdata/reviews.ts';
import { WebhookError } from './webhook-error.ts';

const group = 'web.example.com';
const Hub = defineKind<{ readonly host: string; readonly port: number }>({ group, version: 'v2', kind: 'Site' });
const Old = defineKind<{ readonly hostPort: string }>({ group, version: 'v1', kind: 'Site' });
const Older = defineKind<{ readonly url: string }>({ group, version: 'v1beta1', kind: 'Site' });

const sites = converter(Hub, [
  spoke(Old, {
    toHub: (old) => {
      const [host = '', port = ''] = old.spec.hostPort.split(':');
      if (port === '') throw new Error(`"${old.spec.hostPort}" has no port`);
      return { spec: { host, port: Number(port) } };
    },
    fromHub: (hub) => ({ spec: { hostPort: `${hub.spec.host}:${hub.spec.port}` } }),
  }),
  spoke(Older, {
    toHub: async (older) => ({
      metadata: { name: 'changed', annotations: { was: older.spec.url } },
      spec: { host: new URL(older.spec.url).hostname, port: 80 },
    }),
    fromHub: (hub) => ({ spec: { url: `http://${hub.spec.host}` } }),
  }),
]);

function hubObject() {
  const metadata = { name: 'a', uid: 'u', labels: { x: 'y' } };
  return { apiVersion: `${group}/v2`, kind: 'Site', metadata, spec: { host: 'h', port: 1 } };
}

const oldObject = (hostPort: string) => ({ ...hubObject(), apiVersion: `${group}/v1`, spec: { hostPort } });

function conversion(desiredVersion: string, objects: readonly unknown[]): unknown {
  const request = { uid: 'r', desiredAPIVersion: `${group}/${desiredVersion}`, objects };
  return { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request };
}

describe('converter', () => {
  it('converts to and from the hub, and sets type and metadata for the functions', async () => {
    const { post } = served([sites]);
    const answer = await post('/convert', conversion('v2', [oldObject('db:5432'), oldObject('web:80')]));
    expect(answer).toEqual({
      status: 200,
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      response: {
        uid: 'r',
        result: { status: 'Success' },
        convertedObjects: [
          { ...hubObject(), spec: { host: 'db', port: 5432 } },
          { ...hubObject(), spec: { host: 'web', port: 80 } },
        ],
      },
    });
    const back = await post('/convert', conversion('v1', [hubObject()]));
    expect(back.response.convertedObjects).toEqual([oldObject('h:1')]);
  });

  it('converts between spokes through the hub, and changes only labels and annotations in metadata', async () => {
    const { post } = served([sites]);
    const older = { ...hubObject(), apiVersion: `${group}/v1beta1`, spec: { url: 'http://web/x' } };
    const { response } = await post('/convert', conversion('v1', [older]));
    expect(response.convertedObjects).toEqual([
      { ...oldObject('web:80'), metadata: { name: 'a', uid: 'u', annotations: { was: 'http://web/x' } } },
    ]);
  });

  it('fails the batch and names the object', async () => {
    const { post, counts, lines } = served([sites]);
    const { status, response } = await post('/convert', conversion('v2', [oldObject('a:1'), oldObject('broken')]));
    expect(status).toBe(200);
    expect(response).toEqual({
      uid: 'r',
      convertedObjects: [],
      result: {
        status: 'Failure',
        message: 'cannot convert Site a from web.example.com/v1 to web.example.com/v2: "broken" has no port',
      },
    });
    expect(counts.panics).toEqual(['conversion']);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'failed to convert', request: 'r', level: 'error' }));
  });

  it.each([
    ['another group', { ...hubObject(), apiVersion: 'other/v1' }, 'the groups differ'],
    [
      'another kind',
      { ...hubObject(), apiVersion: `${group}/v1`, kind: 'Page' },
      'no converter is declared for this kind',
    ],
    ['another version', { ...hubObject(), apiVersion: `${group}/v7` }, 'version v7 is not declared'],
    ['no object', null, 'no apiVersion, kind or metadata'],
  ])('fails for %s', async (_, object, message) => {
    const { post, counts } = served([sites]);
    const { response } = await post('/convert', conversion('v2', [object]));
    expect(response.result).toMatchObject({ status: 'Failure', message: expect.stringContaining(message) });
    expect(counts.panics).toEqual([]);
  });

  it('responds with 400 to a body that is not a review', async () => {
    const { post } = served([sites]);
    for (const body of ['', '{', '[]', '{"apiVersion":"apiextensions.k8s.io/v1"}'])
      expect((await post('/convert', body)).status).toBe(400);
  });

  it('must be declared once for all versions of one kind', () => {
    const Page = defineKind<object>({ group, version: 'v1', kind: 'Page' });
    const nothing = { toHub: () => ({ spec: { host: '', port: 0 } }), fromHub: () => ({ spec: {} }) };
    expect(() => converter(Hub, [spoke(Page, nothing)])).toThrow('the group and kind of the two versions differ');
    expect(() => converter(Hub, [spoke(Hub, nothing as never)])).toThrow(WebhookError);
    expect(() => served([sites, sites])).toThrow('cannot serve two converters for Site.web.example.com');
  });
});
