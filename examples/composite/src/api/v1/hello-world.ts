import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/** The names to greet. */
export interface HelloWorldSpec {
  /** Names in lower case, because pods are named after them. @listType set @items.pattern ^[a-z0-9]+$ */
  readonly who: readonly string[];
}

/** The names greeted so far. */
export interface HelloWorldStatus {
  /** Number of pods that have said hello. @int32 */
  readonly greeted: number;
  /** The generation that this status describes. @int64 */
  readonly observedGeneration?: number;
  /** Standard conditions. @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** A greeting, with one pod per name. */
export const HelloWorld = defineKind<HelloWorldSpec, HelloWorldStatus>({
  group: 'hooks.example.com',
  version: 'v1',
  kind: 'HelloWorld',
  columns: [{ name: 'Greeted', type: 'integer', jsonPath: '.status.greeted' }],
});
export type HelloWorld = ObjectOf<typeof HelloWorld>;
