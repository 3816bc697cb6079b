export function reasonOf(skipped: {
  readonly note?: string | undefined;
  readonly text: string;
  readonly isInstalled?: (program: string) => boolean;
}): string;
