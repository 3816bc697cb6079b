/** The address of a deployed operator's webhooks, with kubebuilder's names. */
export interface WebhookPlace {
  readonly namespace: string;
  readonly service: string;
}

/** Returns the address that `config/default` deploys an operator to. */
export function webhookPlace({
  projectName,
  namePrefix,
}: {
  readonly projectName: string;
  readonly namePrefix: string;
}): WebhookPlace {
  const prefix = namePrefix === '' ? `${projectName}-` : namePrefix;
  return { namespace: `${prefix}system`, service: `${prefix}webhook-service` };
}
