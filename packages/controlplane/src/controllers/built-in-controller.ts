import type { ControllerDefinition } from '@kubewright/runtime';

/** A controller of the control plane and the service account that it uses. */
export interface BuiltInController {
  /** Name of its service account in kube-system; its bootstrap role is `system:controller:<account>`. */
  readonly account: string;
  /** True for a controller that is part of kube-apiserver upstream: it reads and writes under the server's identity. */
  readonly actsAsServer?: boolean | undefined;
  /** True for a controller without a separate account: it acts as kube-controller-manager itself. */
  readonly actsAsManager?: boolean | undefined;
  readonly definition: ControllerDefinition;
}
