import { describe, expect, it } from 'vitest';
import { resourcesInAggregated, resourcesInLegacy } from './discovery-entry.ts';

const own = { group: 'example.com', version: 'v1' };
const wells = {
  resource: 'wells',
  responseKind: { group: 'example.com', version: 'v1', kind: 'Well' },
  scope: 'Namespaced',
  singularResource: 'well',
  verbs: ['get', 'list'],
  shortNames: ['wl'],
  subresources: [
    {
      subresource: 'status',
      responseKind: { group: 'example.com', version: 'v1', kind: 'Well' },
      verbs: ['get'],
    },
  ],
};

describe('resources of another server', () => {
  it('are found by group and version in the aggregated format', () => {
    const document = {
      items: [
        { metadata: { name: 'other.example.com' }, versions: [{ version: 'v1', resources: [{ resource: 'x' }] }] },
        { metadata: { name: 'example.com' }, versions: [{ version: 'v2' }, { version: 'v1', resources: [wells] }] },
      ],
    };
    expect(resourcesInAggregated(document, own)).toEqual([wells]);
    expect(resourcesInAggregated(document, { ...own, version: 'v3' })).toBeUndefined();
  });

  it('are read from the legacy format', () => {
    const resources = [
      {
        name: 'wells',
        singularName: 'well',
        namespaced: true,
        kind: 'Well',
        verbs: ['get', 'list'],
        shortNames: ['wl'],
      },
      { name: 'wells/status', singularName: '', namespaced: true, kind: 'Well', verbs: ['get'] },
      { name: 'planets', singularName: 'planet', namespaced: false, kind: 'Planet', verbs: ['get'] },
    ];
    const kind = { group: '', version: '', kind: 'Well' };
    expect(resourcesInLegacy({ resources })).toEqual([
      { ...wells, responseKind: kind, subresources: [{ ...wells.subresources[0], responseKind: kind }] },
      {
        resource: 'planets',
        responseKind: { group: '', version: '', kind: 'Planet' },
        scope: 'Cluster',
        singularResource: 'planet',
        verbs: ['get'],
      },
    ]);
  });

  it.each([
    null,
    'text',
    [],
    { items: 'none' },
    { items: [null, 7, { metadata: null, versions: {} }, { metadata: { name: 'example.com' }, versions: [[]] }] },
  ])('are empty for %j', (document) => {
    expect(resourcesInAggregated(document, own)).toBeUndefined();
    expect(resourcesInLegacy(document)).toEqual([]);
  });

  it('contain only known fields', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 10_000; depth++) deep = [deep];
    const strange = { ...wells, verbs: ['get', 7, deep], shortNames: deep, more: deep };
    const document = {
      items: [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources: [strange] }] }],
    };
    const { shortNames: _, ...plain } = wells;
    expect(resourcesInAggregated(document, own)).toEqual([{ ...plain, verbs: ['get'] }]);
  });
});
