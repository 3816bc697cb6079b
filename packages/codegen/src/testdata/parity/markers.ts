import type { IntOrString, KubernetesObject } from '@kubewright/apimachinery';
import { defaulter, defineKind, validator } from '@kubewright/runtime';

type Level = 'high' | 'low';

/** Loose is an object of which only one field is known. @preserveUnknownFields */
interface Loose {
  readonly known?: string;
}

/** Text is written in another way. @type string */
type Text = unknown;

/** Base is taken over. */
interface Base {
  /** From the base. @maxLength 5 */
  readonly taken?: string;
}

/**
 * MarkSpec has a field for each marker.
 *
 * @rule self.one == oldSelf.orValue(self).one
 * @message stays
 * @optionalOldSelf
 * @atLeastOneOf one two
 */
interface MarkSpec extends Base {
  /** @int32 @minimum 0 @exclusiveMinimum */
  readonly above?: number;
  /** Level is one of what is declared. */
  readonly level?: Level;
  readonly other?: Text;
  readonly loose?: Loose;
  readonly embedded?: KubernetesObject;
  readonly port?: IntOrString;
  /** @immutable */
  readonly name: string;
  /** @immutable */
  readonly class?: string;
  /** @listType map @listMapKey key */
  readonly pairs?: readonly Pair[];
  /** @default medium */
  readonly size?: string;
  /** @items.pattern ^[a-z]+$ @items.maxLength 9 @items.rule self != 'no' @items.message not no @items.reason FieldValueForbidden */
  readonly words?: readonly string[];
  /** @items.int64 @items.maximum 9 @items.enum 1;2;3 */
  readonly numbers?: readonly number[];
  readonly inline?: 'a' | 'b';
  /** @externalDocs https://example.com/one One */
  readonly one?: string;
  readonly two?: string;
  /** @schemaless @preserveUnknownFields */
  readonly free?: unknown;
  /** @type object @preserveUnknownFields */
  readonly raw?: unknown;
  readonly must: string;
  readonly many?: Readonly<Record<string, string>>;
  /** @dateTime */
  readonly when?: string;
}

/** Pair is a key and a value. */
interface Pair {
  /** @minLength 1 */
  readonly key: string;
  readonly value?: string;
}

/** MarkSpec was smaller. */
interface OldSpec {
  /** Nothing says that it must be given: the package says that it need not. */
  readonly name?: string;
  readonly must: string;
}

/** MarkStatus is seen. */
interface OldStatus {
  readonly seen?: boolean | null;
}

const names = { plural: 'markings', singular: 'marking', shortNames: ['mk'], scope: 'Cluster' } as const;

/**
 * Mark is a kind of two versions.
 *
 * @externalDocs https://example.com/marks Marks
 */
const Mark = defineKind<MarkSpec>({
  ...names,
  group: 'markers.example.com',
  version: 'v1',
  kind: 'Mark',
  columns: [{ name: 'Size', type: 'integer', format: 'int32', jsonPath: '.spec.above' }],
});

/** Mark was this before. */
const OldMark = defineKind<OldSpec, OldStatus>({
  ...names,
  group: 'markers.example.com',
  version: 'v1beta1',
  kind: 'Mark',
  storage: false,
  served: false,
  deprecated: true,
});
void OldMark;

/**
 * What no code shows.
 *
 * @rbac groups=apps,resources=deployments;statefulsets,verbs=get;list;watch
 * @rbac groups=apps,resources=deployments,verbs=create
 * @rbac groups=apps,resources=deployments/scale,verbs=patch,resourceNames=one;two
 * @rbac groups="",resources=configmaps,verbs=get,namespace=prod
 * @rbac groups="",resources=secrets,verbs=get,namespace=prod,roleName=reader
 * @rbac urls=/metrics,verbs=get
 */
const webhooks = [
  defaulter(Mark, (mark) => mark, {
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    reinvocationPolicy: 'IfNeeded',
    matchPolicy: 'Exact',
  }),
  validator(Mark, { create: () => undefined, update: () => undefined, delete: () => undefined }, { sideEffects: 'NoneOnDryRun' }),
];
void webhooks;
