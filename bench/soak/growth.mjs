/** The mean of one figure of samples. */
export function mean(samples, key) {
  return samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length;
}

/** How much a figure grows from the first sample to the last, as a part of its mean, by the line that fits best. */
export function growth(samples, key) {
  const middle = mean(samples, key);
  const at = (samples.length - 1) / 2;
  let [product, square] = [0, 0];
  samples.forEach((sample, i) => {
    product += (i - at) * (sample[key] - middle);
    square += (i - at) ** 2;
  });
  return ((product / square) * (samples.length - 1)) / middle;
}
