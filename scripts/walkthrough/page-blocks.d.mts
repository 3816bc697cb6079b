/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  /** The path of a file or the name of a terminal; may be empty. */
  readonly title: string;
  readonly text: string;
  /** Line of the fence in the page, from 1. */
  readonly line: number;
}

export declare function pageBlocks(text: string): readonly Block[];
