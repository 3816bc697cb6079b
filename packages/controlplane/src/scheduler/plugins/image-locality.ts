import type { PodSpec } from '@kubewright/apimachinery/core/v1';
import { maxNodeScore, type Plugin } from '../framework/plugin.ts';

const mebibyte = 1024 * 1024;
const minThreshold = 23 * mebibyte;
const maxContainerThreshold = 1_000 * mebibyte;

/** Prefers nodes that already have the pod's images. Larger images, and images that more nodes have, weigh more. */
export const imageLocality: Plugin = {
  name: 'ImageLocality',
  preScore({ pod }, { cache }, nodes) {
    if (!nodes.some(({ images }) => images.size > 0)) return undefined;
    const { spec } = pod;
    const containers = (spec?.containers.length ?? 0) + (spec?.initContainers?.length ?? 0);
    const names = imagesOf(spec);
    const total = cache.nodes.length;
    return {
      score({ images }) {
        let sum = 0;
        for (const name of names) {
          const state = images.get(name);
          if (state) sum += Math.trunc(state.sizeBytes * (state.nodes.size / total));
        }
        const most = maxContainerThreshold * containers;
        const bounded = Math.min(Math.max(sum, minThreshold), most);
        return Math.trunc((maxNodeScore * (bounded - minThreshold)) / (most - minThreshold));
      },
    };
  },
};

function imagesOf(spec: PodSpec | undefined): readonly string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image }) => image ?? '');
  const volumes = (spec?.volumes ?? []).flatMap(({ image }) => (image ? [image.reference ?? ''] : []));
  return [...containers, ...volumes].map(withTag);
}

/** Adds the default tag to an image name without a tag. */
function withTag(name: string): string {
  return name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name;
}
