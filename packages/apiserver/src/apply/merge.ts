import type { PathElement } from '@kubewright/apimachinery/internal';
import { isRecord, setOwn } from '@kubewright/schema/internal';
import { type ApplyType, formOf, type ListType, type MapType, valueTypeOrDeduced } from './apply-type.ts';
import { elementOf } from './list-elements.ts';

/**
 * Merges an applied configuration into the live object (`structured-merge-diff` v6, `typed/merge.go`): the
 * configuration's leaves win, nothing is removed, and list elements that are in both keep the configuration's order.
 * The result shares structure with both inputs. Returns `undefined` if nothing is left.
 */
export function mergeObjects(type: ApplyType, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  const form = formOf(type, applied);
  if (form === 'map' && type.map !== undefined) return mergeMaps(type.map, live, applied);
  if (form === 'list' && type.list !== undefined) return mergeLists(type.list, live, applied);
  return applied;
}

function mergeMaps(type: MapType, live: unknown, applied: unknown): unknown {
  const left = isRecord(live) ? live : undefined;
  const right = isRecord(applied) ? applied : undefined;
  const empty = (record: Readonly<Record<string, unknown>> | undefined): boolean =>
    record === undefined || Object.keys(record).length === 0;
  if (type.atomic || (empty(left) && empty(right))) return applied;
  const result: Record<string, unknown> = { ...left };
  for (const key of Object.keys(right ?? {})) {
    const before = left !== undefined && Object.hasOwn(left, key) ? left[key] : undefined;
    const merged = mergeObjects(valueTypeOrDeduced(type, key), before, right?.[key]);
    if (merged === undefined) delete result[key];
    else setOwn(result, key, merged);
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

interface Indexed {
  readonly elements: readonly PathElement[];
  /** `null` for elements that occur more than once: they are not merged. */
  readonly items: ReadonlyMap<PathElement, unknown>;
}

function indexItems(type: ListType, list: readonly unknown[]): Indexed {
  const items = new Map<PathElement, unknown>();
  const elements = list.map((item) => {
    const element = elementOf(type, item);
    items.set(element, items.has(element) ? null : item);
    return element;
  });
  return { elements, items };
}

function mergeLists(type: ListType, live: unknown, applied: unknown): unknown {
  const left = Array.isArray(live) ? live : [];
  const right = Array.isArray(applied) ? applied : [];
  if (type.atomic || (left.length === 0 && right.length === 0)) return applied;
  const result = new ListMerge(type, left, right).merge();
  return result.length === 0 ? undefined : result;
}

class ListMerge {
  private readonly type: ListType;
  private readonly live: readonly unknown[];
  private readonly left: Indexed;
  private readonly right: Indexed;
  /** Elements in both lists, in the configuration's order. */
  private readonly shared: PathElement[];
  private readonly done = new Set<PathElement>();
  private readonly out: unknown[] = [];

  constructor(type: ListType, live: readonly unknown[], applied: readonly unknown[]) {
    this.type = type;
    this.live = live;
    this.left = indexItems(type, live);
    this.right = indexItems(type, applied);
    this.shared = this.right.elements.filter((element) => this.left.items.has(element)).reverse();
  }

  merge(): unknown[] {
    const left = this.left.elements;
    const right = this.right.elements;
    let next = this.shared.pop();
    let l = 0;
    let r = 0;
    while (l < left.length || r < right.length) {
      const mine = left[l];
      const theirs = right[r];
      if (mine !== undefined && theirs !== undefined) {
        if (mine === theirs) {
          this.take(mine);
          next = this.shared.pop();
          l++;
          r++;
          continue;
        }
        if (this.right.items.has(mine) && next !== undefined && next !== mine) {
          l++; // added later, in the configuration's order
          continue;
        }
      }
      if (mine !== undefined) {
        if (!this.right.items.has(mine)) {
          this.out.push(this.live[l++]);
          continue;
        }
        if (this.done.has(mine)) l++;
      }
      if (theirs !== undefined) {
        this.take(theirs);
        r++;
        if (next === theirs) next = this.shared.pop();
      }
    }
    return this.out;
  }

  private take(element: PathElement): void {
    this.done.add(element);
    const live = this.left.items.get(element) ?? undefined;
    const merged = mergeObjects(this.type.element, live, this.right.items.get(element));
    if (merged !== undefined) this.out.push(merged);
  }
}
