/** Where a deployed operator answers webhooks: kubebuilder's names. */
export interface WebhookPlace {
  readonly namespace: string;
  readonly service: string;
}

/** The place that `config/default` deploys an operator to. */
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
