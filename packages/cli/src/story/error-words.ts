import { oneLine } from '@kubewright/apimachinery/internal';
import { deniedCall, grantingComment } from '../permissions/denied-call.ts';

/** Returns the lines of an error, prefixed with the name of its class. */
export function titleOf(error: string, stack: string): readonly string[] {
  const name = /^(\w+)(?: \[\w+\])?(?::|\n|$)/.exec(stack)?.[1];
  const [first = '', ...more] = error.split('\n').map(oneLine);
  return [name === undefined || error.startsWith(name) ? first : `${name}: ${first}`, ...more];
}

/** Returns the message for a call that the operator's roles do not allow. */
export function deniedText(error: string): string | undefined {
  const denied = deniedCall(error);
  if (!denied) return undefined;
  const { group, resource, verb } = denied.permission;
  return oneLine(
    `KW7604 the operator may not ${verb} ${resource}${group === '' ? '' : ` of ${group}`}: its roles do not grant it`,
  );
}

/** Returns the remedy for a denied call, ready to be pasted. */
export function remedyOf(error: string): readonly string[] {
  const denied = deniedCall(error);
  if (!denied) return [];
  return [
    'name its kind where the generator sees it (owns, watches, typed client calls), or say this above runOperator in src/main.ts',
    '(kubewright rbac --fix does it):',
    oneLine(grantingComment(denied)),
  ];
}
