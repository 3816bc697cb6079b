import type { ControllerDefinition } from '@kubewright/runtime';

/** A controller of the control plane, and the identity that it acts under. */
export interface BuiltInController {
  /** The name of its service account in kube-system. Its bootstrap role is `system:controller:<account>`. */
  readonly account: string;
  /** True for a controller that upstream runs inside kube-apiserver. It reads and writes under the server's identity. */
  readonly actsAsServer?: boolean | undefined;
  /** True for a controller without a separate service account. It acts as kube-controller-manager. */
  readonly actsAsManager?: boolean | undefined;
  readonly definition: ControllerDefinition;
}
