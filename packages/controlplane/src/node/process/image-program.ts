/** The container for which an image's program is launched. */
export interface LaunchContext {
  /** The address that servers listen on: the pod's address, or 0.0.0.0 if the pod has its own network. */
  readonly podIP: string;
  /** Folder that serves as the container's root directory, owned by the container's user. */
  readonly root: string;
  /** Short folder for sockets (their paths are limited to about 100 bytes), owned by the container's user. */
  readonly socketFolder: string;
  /** The pod's command, which replaces the image's entry point. */
  readonly command: readonly string[] | undefined;
  /** The pod's arguments, which replace the image's default arguments. */
  readonly args: readonly string[] | undefined;
  readonly env: ReadonlyMap<string, string>;
  /** Returns the path at which the container's user can run a file from the image's program folders. */
  reachable(path: string): string;
  /** Converts a path inside the container to a path on this machine: within a mount, or else under `root`. */
  hostPath(containerPath: string): string;
  /** Converts a path inside the container to the path that the container's programs must use. */
  programPath(containerPath: string): string;
}

/** The program to run for a container. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** The image's environment; the pod's own variables take precedence. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders searched for commands before the system's folders. */
  readonly path: readonly string[];
  /** Note written to the log instead of the image's stand-in note. */
  readonly note?: string;
  /** Set for a program that looks up its user in the user database and fails for an unknown uid. */
  readonly knownUser?: {
    /** Name in messages: `initdb`. */
    readonly program: string;
    /** Environment variable that receives the command prefix for the program. */
    readonly variable: string;
  };
}

/** The program that runs for an image, with its entry point. */
export interface ImageProgram {
  /** Note written to the container's log at start if this program only stands in for the real one. */
  readonly standIn?: string;
  /** Description of the program in messages: `PostgreSQL 17.2 in /usr/lib/postgresql/17/bin`. */
  readonly description: string;
  /** The image's own command, if the user's image file sets one. A pod's command replaces it. */
  readonly command?: readonly string[];
  /** Signal that stops the program. @defaultValue SIGTERM */
  readonly stopSignal?: NodeJS.Signals;
  /** True if the image may launch a program whose user must be in the user database. @defaultValue false */
  readonly needsKnownUser?: boolean;
  /** Files and whole folders that the container's user must be able to run. */
  readonly programFolders: readonly string[];
  launch(context: LaunchContext): Launch;
}

/** Finds the program for an image on this machine. */
export interface ImageSource {
  /** Name of the images that this source provides, without registry and tag: `postgres`. */
  readonly repository: string;
  /** Finds the program for a tag. @throws Error that says what is missing and how to get it. */
  find(tag: string): Promise<ImageProgram>;
}
