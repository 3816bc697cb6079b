export interface ProofResult {
  readonly name: string;
  readonly isSkipped?: boolean;
  readonly ok?: boolean;
  readonly seconds?: number;
  readonly text?: string;
}

export function reportOf(proof: {
  readonly date: string;
  readonly commit: string;
  readonly versions: readonly string[];
  readonly results: readonly ProofResult[];
}): string;

export function neutral(text: string, folders: Readonly<Record<string, string>>): string;
