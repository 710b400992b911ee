/** The import lines of a source file. */
import path from 'node:path';

export interface Import {
  readonly file: string;
  /** A path from the root of the project, or the name of a package. */
  readonly target: string;
  readonly ours: boolean;
  readonly typeOnly: boolean;
  /** True for a dynamic import. */
  readonly lazy: boolean;
}

const IMPORT =
  /^\s*(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

export function importsOf(file: string, text: string): readonly Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, names, from, dynamic]) => {
    const specifier = from ?? dynamic ?? '';
    const ours = specifier.startsWith('.');
    const listed = /^\{([\s\S]*)\}$/
      .exec(names?.trim() ?? '')?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '');
    const typeOnly =
      type !== undefined ||
      (listed !== undefined && listed.length > 0 && listed.every((name) => /^\s*type\s/.test(name)));
    return {
      file,
      target: ours ? path.posix.join(path.posix.dirname(file), specifier) : specifier,
      ours,
      typeOnly,
      lazy: dynamic !== undefined,
    };
  });
}
