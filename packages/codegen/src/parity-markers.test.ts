import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`./testdata/${path}`, import.meta.url), 'utf8');

/** Recorded Go types to which ours are compared. */
const shapes = ['parity/types.go', ...['v1', 'v1beta1', 'v1alpha1'].map((name) => `parity/go/${name}/types.go`)]
  .concat('parity/go/operator/markers.go')
  .map(read)
  .join('\n');

const sameSaidOtherwise = 'the same in another spelling';
const noDeepCopies = 'frozen data needs no copies';
const applyTypes = 'ApplyConfiguration<T> is a type';

/** Markers without a recorded shape, and the reason. */
const withoutShape: Readonly<Record<string, string>> = {
  'kubebuilder:validation:UniqueItems': 'the API server refuses it',
  'kubebuilder:validation:items:UniqueItems': 'the API server refuses it',
  'kubebuilder:skip': 'only what defineKind names is made',
  'kubebuilder:webhookconfiguration': "kubebuilder's names for kustomize are the ones",
  'k8s:minimum': sameSaidOtherwise,
  'k8s:maximum': sameSaidOtherwise,
  'k8s:maxItems': sameSaidOtherwise,
  'k8s:required': sameSaidOtherwise,
  'k8s:deepcopy-gen': noDeepCopies,
  'k8s:deepcopy-gen:interfaces': noDeepCopies,
  'kubebuilder:object:generate': noDeepCopies,
  'kubebuilder:ac:generate': applyTypes,
  'kubebuilder:ac:output:package': applyTypes,
};

const has = (marker: string): boolean => new RegExp(`\\+${marker}(?![\\w:]*\\w:)(?=[:=\\s]|$)`, 'm').test(shapes);

describe("controller-gen's markers", () => {
  const markers = read('parity/recorded-markers/markers.txt').trim().split('\n');

  it('are all covered by a recorded shape or omitted for a reason', () => {
    const missing = markers.filter((marker) => {
      // Markers for items behave like those for fields, some of which are in the shapes.
      const isOfItems = marker.startsWith('kubebuilder:validation:items:') && has(marker.replace(':items:', ':'));
      return !has(marker) && !isOfItems && !Object.hasOwn(withoutShape, marker);
    });
    expect(missing).toEqual([]);
    expect(markers.length).toBeGreaterThan(80);
  });

  it('have no outdated reasons', () => {
    expect(Object.keys(withoutShape).filter((marker) => has(marker) || !markers.includes(marker))).toEqual([]);
  });
});
