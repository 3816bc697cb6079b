import type { Node } from '@kubewright/apimachinery/core/v1';

/** An image and the nodes that have it. */
export interface ImageState {
  readonly sizeBytes: number;
  readonly nodes: ReadonlySet<string>;
}

const none: ReadonlyMap<string, ImageState> = new Map();

/** The images on all nodes, by name. */
export class ImageIndex {
  readonly #images = new Map<string, { readonly sizeBytes: number; readonly nodes: Set<string> }>();

  /** Replaces the images listed for a node, and returns its new images by name. */
  replace(
    nodeName: string,
    nodes: { readonly old: Node | undefined; readonly now: Node | undefined },
  ): ReadonlyMap<string, ImageState> {
    for (const { names } of nodes.old?.status?.images ?? [])
      for (const name of names ?? []) this.#remove(nodeName, name);
    const own = new Map<string, ImageState>();
    for (const { names, sizeBytes = 0 } of nodes.now?.status?.images ?? []) {
      for (const name of names ?? []) {
        const state = this.#images.get(name) ?? { sizeBytes: Number(sizeBytes), nodes: new Set() };
        this.#images.set(name, state);
        state.nodes.add(nodeName);
        own.set(name, state);
      }
    }
    return own.size === 0 ? none : own;
  }

  #remove(nodeName: string, name: string): void {
    const state = this.#images.get(name);
    state?.nodes.delete(nodeName);
    if (state?.nodes.size === 0) this.#images.delete(name);
  }
}
