import {
  badRequest,
  FieldSelector,
  FieldSelectorError,
  LabelSelector,
  LabelSelectorError,
} from '@kubewright/apimachinery';

const maxSelectorLength = 64 * 1024;

/**
 * Parses the selectors of a list or watch.
 *
 * @throws StatusError 400 for selectors that cannot be parsed
 */
export function parseSelectors({
  labelSelector,
  fieldSelector,
}: {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}): { readonly labels: LabelSelector; readonly fields: FieldSelector } {
  if (labelSelector.length + fieldSelector.length > maxSelectorLength) {
    throw badRequest(`the selectors are longer than ${maxSelectorLength} characters`);
  }
  const labels = parse(() => LabelSelector.parse(labelSelector));
  return { labels, fields: parse(() => FieldSelector.parse(fieldSelector)) };
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof LabelSelectorError || error instanceof FieldSelectorError) {
      throw badRequest(error.message, { cause: error });
    }
    throw error;
  }
}
