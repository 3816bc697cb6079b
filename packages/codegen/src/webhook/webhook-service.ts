/** The Service of a deployed operator's webhooks. */
export interface WebhookService {
  readonly namespace: string;
  readonly service: string;
}

/** Returns the namespace and Service of the webhooks that `config/default` deploys, with kubebuilder's name prefix. */
export function webhookService({
  projectName,
  namePrefix,
}: {
  readonly projectName: string;
  readonly namePrefix: string;
}): WebhookService {
  const prefix = namePrefix === '' ? `${projectName}-` : namePrefix;
  return { namespace: `${prefix}system`, service: `${prefix}webhook-service` };
}
