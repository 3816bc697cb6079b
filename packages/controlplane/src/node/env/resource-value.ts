import { Quantity } from '@kubewright/apimachinery';
import type { Container, Pod, ResourceFieldSelector } from '@kubewright/apimachinery/core/v1';

/** A node's allocatable resources, used for limits that a container does not set. */
export type Allocatable = Readonly<Record<string, string>>;

/**
 * Returns `limits.cpu`, `requests.memory`, … of a container, divided and rounded up. An unset limit defaults to the node's
 * allocatable amount; an unset request defaults to the limit, or 0.
 *
 * @returns `undefined` if the container or the resource does not exist.
 */
export function resourceFieldValue(
  pod: Pod,
  selector: ResourceFieldSelector,
  options: { readonly container?: Container | undefined; readonly allocatable: Allocatable },
): string | undefined {
  const { containerName, resource } = selector;
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const container = containerName ? all.find(({ name }) => name === containerName) : options.container;
  const match = /^(limits|requests)\.(.+)$/.exec(resource);
  if (!container || !match) return undefined;
  const [, list, name = ''] = match;
  const { limits, requests } = container.resources ?? {};
  const given =
    list === 'limits' ? (limits?.[name] ?? options.allocatable[name]) : (requests?.[name] ?? limits?.[name]);
  const quantity = Quantity.tryParse(given ?? '0');
  if (!quantity) return undefined;
  const divisor = Quantity.tryParse(selector.divisor ?? '1');
  return String(divideUp(quantity, divisor === undefined || divisor.isZero ? Quantity.of(1) : divisor));
}

function divideUp(quantity: Quantity, divisor: Quantity): bigint {
  const numerator = quantity.milliValue();
  const denominator = divisor.milliValue();
  return denominator <= 0n ? numerator : (numerator + denominator - 1n) / denominator;
}
