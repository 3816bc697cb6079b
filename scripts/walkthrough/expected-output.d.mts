export declare function expectedOutput(shown: string): (output: string) => boolean;
