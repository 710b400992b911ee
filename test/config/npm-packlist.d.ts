/** The package has no types of its own, and the types from others depend on all of npm. */
declare module 'npm-packlist' {
  interface PackedTree {
    /** The folder of the package. */
    readonly path: string;
    /** Its parsed package.json. */
    readonly package: object;
    readonly isProjectRoot: boolean;
    readonly edgesOut: ReadonlyMap<string, unknown>;
  }
  /** Returns the files that `npm pack` includes, relative to the folder. */
  export default function packlist(tree: PackedTree): Promise<readonly string[]>;
}
