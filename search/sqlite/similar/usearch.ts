/** The package usearch: nearest neighbours by a graph (HNSW), in memory or in a mapped file. */
import { createRequire } from 'node:module';

/** The used part of the package. Keys are rows of tracks. */
export interface NearestIndex {
  /** @param vectors one after the other @param threads 1: the thread of the caller */
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  /** Returns the nearest vectors first, with their cosine distances from 8-bit vectors. */
  search(
    vector: Float32Array,
    count: number,
    threads: number,
  ): { readonly keys: BigUint64Array; readonly distances: Float32Array };
  size(): number;
  save(file: string): void;
  /** Maps the file. @throws Error if the file has another format */
  view(file: string): void;
}

interface Package {
  readonly Index: new (options: Readonly<Record<string, unknown>>) => NearestIndex;
}

/** Neighbours of each vector in the graph, and number of candidates for adding and for finding. */
const [CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH] = [16, 128, 96];

let loaded: Package | undefined;

/** Creates an index by cosine distance with 8-bit vectors. */
export function newIndex(dimensions: number): NearestIndex {
  loaded ??= createRequire(import.meta.url)('usearch') as Package;
  return new loaded.Index({
    ...{ dimensions, metric: 'cos', quantization: 'i8', multi: false },
    ...{ connectivity: CONNECTIVITY, expansion_add: EXPANSION_ADD, expansion_search: EXPANSION_SEARCH },
  });
}
