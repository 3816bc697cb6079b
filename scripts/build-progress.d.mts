export declare class BuildProgress {
  constructor(dry: string, report: (line: string) => void);
  take(line: string): boolean;
  bundling(): void;
}
