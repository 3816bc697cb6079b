import { maxNodeScore } from './plugin.ts';

/**
 * Scales scores in place so that the highest becomes 100. With `reverse`, then subtracts each from 100, so that low scores win.
 */
export function normalize(scores: number[], options: { readonly reverse: boolean }): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  for (let i = 0; i < scores.length; i++) {
    const scaled = highest === 0 ? 0 : Math.trunc((maxNodeScore * (scores[i] ?? 0)) / highest);
    scores[i] = options.reverse ? maxNodeScore - scaled : scaled;
  }
}
