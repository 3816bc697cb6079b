/** What an image's imitation needs to know of the container that it is about to be. */
export interface LaunchContext {
  /** The pod's address: servers listen there, not on every address. */
  readonly podIP: string;
  /** Folder that stands for the container's root directory; the container's user owns it. */
  readonly root: string;
  /** Short folder for sockets (their paths are limited to about 100 bytes); the container's user owns it. */
  readonly socketFolder: string;
  /** As in the pod; replaces the image's entry point. */
  readonly command: readonly string[] | undefined;
  /** As in the pod; replaces the image's default arguments. */
  readonly args: readonly string[] | undefined;
  readonly env: ReadonlyMap<string, string>;
  /** Where the container's user can run what lies at a path within the image's program folders. */
  reachable(path: string): string;
  /** Turns a path inside the container into one of this machine: mounts first, else below `root`. */
  hostPath(containerPath: string): string;
}

/** What to run for a container. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** Environment that the image brings along; the pod's own comes on top. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders searched for commands before the system's. */
  readonly path: readonly string[];
  /** Said into the log instead of the image's stand-in note. */
  readonly note?: string;
  /** A program in it asks the user database who it runs as, and fails for a uid that is not in it. */
  readonly knownUser?: {
    /** For messages: `initdb`. */
    readonly program: string;
    /** Environment variable that gets the words to put before that program. */
    readonly variable: string;
  };
}

/** An image's imitation: the program that stands for it, and its entry point's ways. */
export interface ImageProgram {
  /** Said when the container starts, into its log, if this is only a stand-in for the real program. */
  readonly standIn?: string;
  /** Where the program was found, for messages: `PostgreSQL 17.2 in /usr/lib/postgresql/17/bin`. */
  readonly description: string;
  /** The image's own command, where a user's file names one: a pod that has a command replaces it. */
  readonly command?: readonly string[];
  /** Signal that asks the program to stop. @defaultValue SIGTERM */
  readonly stopSignal?: NodeJS.Signals;
  /** May launch a program that needs a user that the database knows. @defaultValue false */
  readonly needsKnownUser?: boolean;
  /** Files, and folders with all in them, that the container's user must be able to run. */
  readonly programFolders: readonly string[];
  launch(context: LaunchContext): Launch;
}

/** Finds the program behind an image on this machine; `undefined` when it does not know that image. */
export interface ImageSource {
  /** Image names that it answers for, without registry and tag: `postgres`. */
  readonly repository: string;
  /** @throws Error that says what is missing and how to get it. */
  find(tag: string): Promise<ImageProgram>;
}
