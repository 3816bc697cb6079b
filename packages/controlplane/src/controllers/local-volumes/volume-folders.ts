/** The folders that hold the data of local volumes. */
export interface VolumeFolders {
  /** Returns the folder of a volume on a node. */
  pathOf(node: string, volume: string): string;
  /** Creates a folder, with a copy of another one's content if `copyOf` is given. An interrupted copy is repeated. */
  create(path: string, options: { readonly copyOf?: string | undefined }): Promise<void>;
  /** Removes a folder with its content; does nothing if it does not exist. */
  remove(path: string): Promise<void>;
}
