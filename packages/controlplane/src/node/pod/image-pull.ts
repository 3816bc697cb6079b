import { KubewrightError } from '@kubewright/apimachinery';
import type { Container, Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { parseImageReference } from '@kubewright/apimachinery/internal';
import type { ImageReference } from '../driver.ts';
import { formatPause } from './back-off.ts';
import type { ContainerSlot } from './container-slot.ts';
import type { PodEvent, PodHost } from './pod-host.ts';

/** Time for which ErrImagePull is shown before it becomes ImagePullBackOff, in milliseconds. */
const errorShownMs = 2_000;
/**
 * Delay before an image that is not pulled (invalid name, or pull policy Never) is looked up again, in milliseconds: the shortest
 * interval between a kubelet's checks of a pod.
 */
const lookAgainMs = 10_000;

/** Thrown if a container cannot be started now. The error contains the waiting reason and the time to retry. */
export class ContainerWaitError extends KubewrightError {
  override readonly name = 'ContainerWaitError';
  readonly code = 'KW5212';
  readonly reason: string;
  readonly retryAtMs: number;

  constructor(message: string, options: { readonly reason: string; readonly retryAtMs: number }) {
    super({ what: message });
    this.reason = options.reason;
    this.retryAtMs = options.retryAtMs;
  }
}

/** The pod, container slot and node of a pull, and the receiver of its events. */
interface PullContext {
  readonly pod: Pod;
  readonly slot: ContainerSlot;
  readonly host: PodHost;
  readonly event: (event: PodEvent) => void;
}

/**
 * Pulls a container's image, with the kubelet's events, reasons and backoff (1.36).
 *
 * @throws {@link ContainerWaitError} with reason ErrImagePull, ImagePullBackOff, ErrImageNeverPull or InvalidImageName.
 */
export async function pullImage(container: Container, context: PullContext): Promise<ImageReference> {
  const { slot, host, event } = context;
  const { image = '', imagePullPolicy } = container;
  const now = host.clock.now();
  const failing = slot.pullFailure;
  if (failing && slot.pulls.retryAt(failing.atMs) > now) {
    event({ reason: 'BackOff', note: `Back-off pulling image "${image}"` });
    const message = `Back-off pulling image "${image}": ${failing.reason}: ${failing.message}`;
    throw waiting(context, { message, reason: 'ImagePullBackOff', retryAtMs: slot.pulls.retryAt(failing.atMs) });
  }
  const neverPulls = imagePullPolicy === 'Never';
  const isHere = host.driver.hasImage?.(image) ?? host.images.has(image);
  const isLoaded = host.driver.isLoaded?.(image) ?? false;
  const present = neverPulls || (isHere && (imagePullPolicy !== 'Always' || isLoaded));
  // An invalid image reference is never pulled: a kubelet checks the name first.
  if (!present && isReference(image)) event({ reason: 'Pulling', note: `Pulling image "${image}"` });
  let found: ImageReference;
  try {
    found = await host.driver.pullImage(image, {
      podUid: context.pod.metadata.uid ?? '',
      containerName: slot.name,
      isPresent: present,
      secrets: present ? [] : pullSecrets(context),
    });
  } catch (error) {
    throw pullFailed(error, { context, image, neverPulls });
  }
  host.images.add(image);
  slot.pullFailure = undefined;
  event({ reason: 'Pulled', note: pulledNote(found, { container, present, tookMs: host.clock.now() - now }) });
  return found;
}

/** Returns the pod's Secrets for registries. As a kubelet does, records an event if some are missing, and pulls without them. */
function pullSecrets({ pod, host, event }: PullContext): readonly Secret[] {
  const { namespace = '' } = pod.metadata;
  const names = (pod.spec?.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [name] : []));
  const secrets = names.flatMap((name) => host.objects.secret(namespace, name) ?? []);
  const missing = names.filter((name) => secrets.every(({ metadata }) => metadata.name !== name));
  if (missing.length > 0) {
    const note = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
    event({ type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', note });
  }
  return secrets;
}

function pullFailed(
  error: unknown,
  options: { readonly context: PullContext; readonly image: string; readonly neverPulls: boolean },
): ContainerWaitError {
  const { context, image, neverPulls } = options;
  const { slot, host, event } = context;
  const why = error instanceof Error ? error.message : String(error);
  const reason = reasonOf(error);
  const failedAt = host.clock.now();
  if (reason === 'InvalidImageName') {
    event({ type: 'Warning', reason: 'InspectFailed', note: why });
    return waiting(context, { message: why, reason, retryAtMs: failedAt + lookAgainMs });
  }
  if (neverPulls) {
    const message = `Container image "${image}" is not present with pull policy of Never: ${why}`;
    event({ type: 'Warning', reason: 'ErrImageNeverPull', note: message });
    return waiting(context, { message, reason: 'ErrImageNeverPull', retryAtMs: failedAt + lookAgainMs });
  }
  slot.pulls.next(failedAt, slot.pullFailure?.atMs ?? failedAt);
  slot.pullFailure = { atMs: failedAt, reason, message: why };
  event({ type: 'Warning', reason: 'Failed', note: `Failed to pull image "${image}": ${why}` });
  return waiting(context, { message: why, reason, retryAtMs: failedAt + errorShownMs });
}

/** Records the reason as a separate event, as a kubelet does, and returns the error. */
function waiting(
  { event }: PullContext,
  options: { readonly message: string; readonly reason: string; readonly retryAtMs: number },
): ContainerWaitError {
  event({ type: 'Warning', reason: 'Failed', note: `Error: ${options.reason}` });
  return new ContainerWaitError(options.message, options);
}

function isReference(image: string): boolean {
  try {
    parseImageReference(image);
    return true;
  } catch {
    // The image is a local path or empty.
    return false;
  }
}

/**
 * Returns the kubelet's message if the image was pulled; otherwise a message that names the program that runs instead.
 */
function pulledNote(
  { image, runs, command, pulledBytes }: ImageReference,
  { container, present, tookMs }: { readonly container: Container; readonly present: boolean; readonly tookMs: number },
): string {
  const took = formatPause(tookMs);
  const isReplaced = command !== undefined && container.command !== undefined;
  const replaced = isReplaced ? `; the pod's command overrides the image's command (${command.join(' ')})` : '';
  if (present) {
    const what = runs === undefined ? '' : `: ${runs}`;
    return `Container image "${image}" already present on machine and can be accessed by the pod${what}${replaced}`;
  }
  const size = pulledBytes === undefined ? '' : `. Image size: ${pulledBytes} bytes.`;
  return runs === undefined
    ? `Successfully pulled image "${image}" in ${took} (${took} including waiting)${size}`
    : `Image "${image}" was not pulled; its containers run as local processes with ${runs}${replaced}`;
}

function reasonOf(error: unknown): string {
  const { reason } = error as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : 'ErrImagePull';
}
