import type { IntOrString } from '@kubewright/apimachinery';
import type { ObjectReference, ResourceRequirements, SecretKeySelector } from '@kubewright/apimachinery/core/v1';
import type { Condition, LabelSelector, ObjectMeta } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/** Color is one of three. */
type Color = 'red' | 'green' | 'blue';

/** Port is a number of a port. @int32 @minimum 1 @maximum 65535 */
type Port = number;

/**
 * ShapeSpec says what is wanted: a description that is long enough to be broken over several lines by the writer of the file.
 *
 * @rule self.replicas <= 5 || self.color == 'red'
 * @message many are red: always
 * @reason FieldValueForbidden
 * @fieldPath .replicas
 * @exactlyOneOf up down
 * @atMostOneOf left right
 * @atLeastOneOf up left down
 */
interface ShapeSpec {
  /** How many. @int32 @default 1 @minimum 0 @exclusiveMaximum 100 */
  readonly replicas: number;
  readonly color: Color;
  /** The port, in other words. */
  readonly port?: Port;
  readonly ports?: readonly Port[];
  readonly plain: string;
  /** @int64 */
  readonly large?: number;
  /** @integer */
  readonly whole?: number;
  readonly on?: boolean;
  /** @float */
  readonly factor?: number;
  /** @minLength 1 @maxLength 63 @pattern ^[a-z]([-a-z0-9]*[a-z0-9])?$ */
  readonly name?: string;
  /** @format email */
  readonly mail?: string;
  /** @int32 @multipleOf 5 */
  readonly fives?: number;
  /** @minItems 1 @maxItems 3 @listType set */
  readonly names?: readonly string[];
  /** @items.minLength 2 */
  readonly words?: string[];
  /** @listType map @listMapKey name @listMapKey port */
  readonly entries?: readonly Entry[];
  /** @listType atomic */
  readonly fixed?: ReadonlyArray<string>;
  /** @mapType atomic */
  readonly labels?: Readonly<Record<string, string>>;
  /** @minProperties 1 @maxProperties 4 @values.quantity */
  readonly limits?: { readonly [name: string]: string };
  /** @structType atomic */
  readonly entry?: Entry;
  /** @quantity */
  readonly size?: string;
  readonly target?: IntOrString;
  /** @dateTime */
  readonly since?: string;
  readonly interval?: string;
  /** @format byte */
  readonly data?: string;
  readonly nullable?: string | null;
  readonly anything?: unknown;
  /** @preserveUnknownFields */
  readonly open?: Entry;
  /** @embeddedResource @preserveUnknownFields */
  readonly template?: unknown;
  /** @default {"name": "x", "port": 80} */
  readonly defaulted?: Entry;
  /** @default ["a", "b"] */
  readonly defaultedList?: readonly string[];
  /** @example an example @title A title */
  readonly shown?: string;
  /** @rule self == oldSelf @messageExpression 'was ' + oldSelf */
  readonly fixed2?: string;
  /**
   * One.
   *
   * Two, after an empty line: with "quotes" and # signs.
   */
  readonly lines?: string;
  readonly left?: string;
  readonly right?: string;
  readonly up?: string;
  readonly down?: string;
  readonly selector?: LabelSelector;
  readonly secret?: SecretKeySelector;
  readonly reference?: ObjectReference;
  readonly resources?: ResourceRequirements;
  readonly meta?: ObjectMeta;
  readonly matrix?: readonly (readonly string[])[];
  readonly nested?: Readonly<Record<string, readonly Entry[]>>;
}

interface Entry {
  readonly name: string;
  readonly port: Port;
  readonly note?: string;
}

/** ShapeStatus is what was seen. */
interface ShapeStatus {
  /** @int32 */
  readonly replicas?: number;
  readonly selector?: string;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/**
 * Shape has a field of each form.
 *
 * @externalDocs https://example.com/docs More
 * @rule self.metadata.name != 'no'
 * @message not no
 */
const Shape = defineKind<ShapeSpec, ShapeStatus>({
  group: 'parity.example.com',
  version: 'v1',
  kind: 'Shape',
  shortNames: ['sh', 'shp'],
  categories: ['all', 'parity'],
  columns: [
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', description: 'How many', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  selectableFields: ['.spec.color'],
  deprecationWarning: 'v1 goes away',
  labels: { team: 'shapes' },
  annotations: { 'example.com/note': 'a note' },
});
void Shape;
