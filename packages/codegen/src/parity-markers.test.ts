import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`./testdata/${path}`, import.meta.url), 'utf8');

/** The Go types for which controller-gen's output is recorded. */
const shapes = ['parity/types.go', ...['v1', 'v1beta1', 'v1alpha1'].map((name) => `parity/go/${name}/types.go`)]
  .concat('parity/go/operator/markers.go')
  .map(read)
  .join('\n');

const otherSpelling = 'another spelling of a marker that is covered';
const noDeepCopies = 'immutable data needs no deep copies';
const applyTypes = 'ApplyConfiguration<T> is a type';

/** Markers that no recorded Go type uses, each with the reason. */
const withoutShape: Readonly<Record<string, string>> = {
  'kubebuilder:validation:UniqueItems': 'the API server rejects it',
  'kubebuilder:validation:items:UniqueItems': 'the API server rejects it',
  'kubebuilder:skip': 'only kinds that are passed to defineKind are generated',
  'kubebuilder:webhookconfiguration': "the names are always kubebuilder's names for kustomize",
  'k8s:minimum': otherSpelling,
  'k8s:maximum': otherSpelling,
  'k8s:maxItems': otherSpelling,
  'k8s:required': otherSpelling,
  'k8s:deepcopy-gen': noDeepCopies,
  'k8s:deepcopy-gen:interfaces': noDeepCopies,
  'kubebuilder:object:generate': noDeepCopies,
  'kubebuilder:ac:generate': applyTypes,
  'kubebuilder:ac:output:package': applyTypes,
};

const has = (marker: string): boolean => new RegExp(`\\+${marker}(?![\\w:]*\\w:)(?=[:=\\s]|$)`, 'm').test(shapes);

describe("controller-gen's markers", () => {
  const markers = read('parity/recorded-markers/markers.txt').trim().split('\n');

  it('are all used by a recorded Go type or omitted for a reason', () => {
    const missing = markers.filter((marker) => {
      // An `items:` marker is covered if the marker without `items:` is, because both behave the same.
      const isOfItems = marker.startsWith('kubebuilder:validation:items:') && has(marker.replace(':items:', ':'));
      return !has(marker) && !isOfItems && !Object.hasOwn(withoutShape, marker);
    });
    expect(missing).toEqual([]);
    expect(markers.length).toBeGreaterThan(80);
  });

  it('have no outdated reasons for omission', () => {
    expect(Object.keys(withoutShape).filter((marker) => has(marker) || !markers.includes(marker))).toEqual([]);
  });
});
