/** The folders that hold the data of local volumes. */
export interface VolumeFolders {
  /** Returns the path of a volume's folder on a node. */
  pathOf(node: string, volume: string): string;
  /**
   * Creates a folder. If `copyOf` is given, copies the content of that folder into it. A second call restarts an
   * interrupted copy.
   */
  create(path: string, options: { readonly copyOf?: string | undefined }): Promise<void>;
  /** Removes a folder and its content. Does nothing if the folder does not exist. */
  remove(path: string): Promise<void>;
}
