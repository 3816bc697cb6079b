import type { ControllerDefinition } from '@kubewright/runtime';

/** A controller of the control plane and the service account that it uses. */
export interface BuiltInController {
  /** Name of its service account in kube-system; its bootstrap role is `system:controller:<account>`. */
  readonly account: string;
  readonly definition: ControllerDefinition;
}
