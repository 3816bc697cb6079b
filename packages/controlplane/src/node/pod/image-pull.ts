import type { Container } from '@kubewright/apimachinery/core/v1';
import type { ImageReference } from '../driver.ts';
import { formatPause } from './back-off.ts';
import type { ContainerSlot } from './container-slot.ts';
import type { PodEvent, PodHost } from './pod-host.ts';

/** How long ErrImagePull is shown before it becomes ImagePullBackOff, in milliseconds. */
const errorShownMs = 2_000;

/** A container cannot be started now: the reason it waits with, and when to try again. */
export class ContainerWaitError extends Error {
  readonly code = 'KW5212';
  readonly reason: string;
  readonly retryAtMs: number;

  constructor(message: string, options: { readonly reason: string; readonly retryAtMs: number }) {
    super(message);
    this.name = 'ContainerWaitError';
    this.reason = options.reason;
    this.retryAtMs = options.retryAtMs;
  }
}

/**
 * Gets a container's image, with the kubelet's events and back-off.
 *
 * @throws {@link ContainerWaitError} with reason ErrImagePull, ImagePullBackOff or InvalidImageName.
 */
export async function pullImage(
  container: Container,
  context: { readonly slot: ContainerSlot; readonly host: PodHost; readonly event: (event: PodEvent) => void },
): Promise<ImageReference> {
  const { slot, host, event } = context;
  const image = container.image ?? '';
  const now = host.clock.now();
  const failing = slot.pullFailure;
  if (failing && slot.pulls.retryAt(failing.atMs) > now) {
    event({ reason: 'BackOff', note: `Back-off pulling image "${image}"` });
    const message = `Back-off pulling image "${image}": ${failing.reason}: ${failing.message}`;
    throw new ContainerWaitError(message, { reason: 'ImagePullBackOff', retryAtMs: slot.pulls.retryAt(failing.atMs) });
  }
  const present = host.images.has(image) && container.imagePullPolicy !== 'Always';
  if (!present) event({ reason: 'Pulling', note: `Pulling image "${image}"` });
  try {
    const found = await host.driver.pullImage(image);
    host.images.add(image);
    slot.pullFailure = undefined;
    event({ reason: 'Pulled', note: pulledNote(found, { present, tookMs: host.clock.now() - now }) });
    return found;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reason = reasonOf(error);
    const failedAt = host.clock.now();
    slot.pulls.next(failedAt, failing?.atMs ?? failedAt);
    slot.pullFailure = { atMs: failedAt, reason, message };
    event({ type: 'Warning', reason: 'Failed', note: `Failed to pull image "${image}": ${message}` });
    event({ type: 'Warning', reason: 'Failed', note: `Error: ${reason}` });
    throw new ContainerWaitError(message, { reason, retryAtMs: failedAt + errorShownMs });
  }
}

/** The kubelet's words where an image was pulled; else what runs for it. */
function pulledNote(
  { image, runs }: ImageReference,
  { present, tookMs }: { readonly present: boolean; readonly tookMs: number },
): string {
  const took = formatPause(tookMs);
  if (present) return `Container image "${image}" already present on machine${runs === undefined ? '' : `: ${runs}`}`;
  return runs === undefined
    ? `Successfully pulled image "${image}" in ${took} (${took} including waiting)`
    : `Image "${image}" is run by ${runs}; nothing was pulled, containers are processes of this machine`;
}

function reasonOf(error: unknown): string {
  const { reason } = error as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : 'ErrImagePull';
}
