/** The package usearch: nearest neighbours by a graph (HNSW), in memory or in a file that is mapped. */
import { createRequire } from 'node:module';

/** What is used of it. Keys are rows of tracks. */
export interface NearestIndex {
  /** @param vectors one after the other @param threads 1: the caller's */
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  /** The nearest ones first, with the cosine distances of the numbers of 8 bits. */
  search(
    vector: Float32Array,
    count: number,
    threads: number,
  ): { readonly keys: BigUint64Array; readonly distances: Float32Array };
  size(): number;
  save(file: string): void;
  /** Maps the file. @throws Error for one that is not of this format */
  view(file: string): void;
}

interface Package {
  readonly Index: new (options: Readonly<Record<string, unknown>>) => NearestIndex;
}

/** Neighbours of each vector in the graph, and candidates that are looked at to add and to find. */
const [CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH] = [16, 128, 96];

let loaded: Package | undefined;

/** Cosine distances over numbers of 8 bits. */
export function newIndex(dimensions: number): NearestIndex {
  loaded ??= createRequire(import.meta.url)('usearch') as Package;
  return new loaded.Index({
    ...{ dimensions, metric: 'cos', quantization: 'i8', multi: false },
    ...{ connectivity: CONNECTIVITY, expansion_add: EXPANSION_ADD, expansion_search: EXPANSION_SEARCH },
  });
}
