/** The package has no types; those of others for it bring types of the whole of npm. */
declare module 'npm-packlist' {
  interface PackedTree {
    /** The folder of the package. */
    readonly path: string;
    /** What its package.json says. */
    readonly package: object;
    readonly isProjectRoot: boolean;
    readonly edgesOut: ReadonlyMap<string, unknown>;
  }
  /** Answers the files that `npm pack` takes, relative to the folder. */
  export default function packlist(tree: PackedTree): Promise<readonly string[]>;
}
