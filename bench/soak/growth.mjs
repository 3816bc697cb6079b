/** Returns the mean of one figure over all samples. */
export function mean(samples, key) {
  return samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length;
}

/** Returns the growth of a figure from the first to the last sample, by linear regression, relative to its mean. */
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
