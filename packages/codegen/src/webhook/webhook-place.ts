/** The Service of a deployed operator's webhooks. */
export interface WebhookPlace {
  readonly namespace: string;
  readonly service: string;
}

/** Returns the namespace and Service of the webhooks that `config/default` deploys, with kubebuilder's name prefix. */
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
