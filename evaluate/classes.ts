/** Maps classes of the document to those of the truth: by name, ignoring case, or by --map. */
import { EvaluationError } from './error.ts';
import { listNames } from './sentences.ts';

/** Pairs of a class of the truth and the equal class of the document. */
export type Mapping = readonly (readonly [truth: string, found: string])[];

/** Name of the class of a truth that names none. */
const UNNAMED = 'object';

const canonical = (name: string): string => name.trim().toLowerCase();

export class Classes {
  /** Numbers of classes, by the numbers of the truth's classes and by names of the document. */
  readonly #ofTruth: readonly number[];
  readonly #ofFound = new Map<string, number>();
  readonly #names: string[] = [];
  /** True if all findings count as one class, because the truth names no classes and there is no mapping. */
  readonly #takesAll: boolean;
  /** Names of the document for each class, as they occurred in it. */
  readonly #met = new Map<number, Set<string>>();
  /** Number of tracks by names that are no class of the truth. */
  readonly #others = new Map<string, number>();

  /** @throws EvaluationError if `mapping` names a class that the truth does not have */
  constructor(truth: readonly string[] | undefined, mapping: Mapping) {
    const names = truth ?? [UNNAMED];
    for (const [name] of mapping)
      if (!names.some((one) => canonical(one) === canonical(name)))
        throw new EvaluationError(
          `--map names the class ${name}, which the truth does not have: it has ${listNames(names)}.`,
        );
    this.#takesAll = truth === undefined && mapping.length === 0;
    this.#ofTruth = names.map((name) => this.#classOf(name, mapping));
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** Returns the class of a box. A truth without class names has only the class 0. */
  ofTruth(label: number): number {
    return this.#ofTruth[label] ?? 0;
  }

  /** Returns the class of a track by its label. Returns undefined if the truth has no such class. */
  ofFound(label: string): number | undefined {
    const number = this.#takesAll ? 0 : this.#ofFound.get(canonical(label));
    if (number === undefined) this.#others.set(label, (this.#others.get(label) ?? 0) + 1);
    else this.#met.set(number, (this.#met.get(number) ?? new Set<string>()).add(label));
    return number;
  }

  /** Returns sentences about classes without a counterpart. @throws EvaluationError if there is nothing to compare */
  notes(): readonly string[] {
    const taken = [...(this.#met.get(0) ?? [])];
    if (this.#takesAll && taken.length > 1)
      throw new EvaluationError(
        `The truth names no classes, and the document has several (${listNames(taken)}): choose one, for example --map "${UNNAMED}=${taken[0]}".`,
      );
    const others = [...this.#others].map(([name, tracks]) => `${name} (${tracks})`);
    const missing = this.#names.filter((_, number) => !this.#met.has(number));
    if (this.#met.size === 0 && others.length > 0)
      throw new EvaluationError(
        `No class of the truth (${listNames(missing)}) is among those of the document (${listNames(others)}): assign them, for example --map "${missing[0]}=${[...this.#others.keys()][0]}".`,
      );
    return [
      ...(this.#takesAll && taken.length === 1
        ? [`The truth names no classes; it is compared with ${taken[0]}.`]
        : []),
      ...(missing.length > 0
        ? [
            `The document does not have these classes of the truth (--map truth=found assigns other names): ${listNames(missing, 100)}.`,
          ]
        : []),
      ...(others.length > 0
        ? [
            `Not evaluated, as the truth does not have these classes of the document (number of tracks): ${listNames(others, 100)}.`,
          ]
        : []),
    ];
  }

  /** Returns the number of a class. Classes of the truth that are mapped to one class of the document are the same class. */
  #classOf(name: string, mapping: Mapping): number {
    const mapped = mapping
      .filter(([truth]) => canonical(truth) === canonical(name))
      .map(([, found]) => canonical(found));
    const found = mapped.length === 0 ? [canonical(name)] : mapped;
    const known = found.map((one) => this.#ofFound.get(one)).find((number) => number !== undefined);
    const number = known ?? this.#names.push(name) - 1;
    if (known !== undefined && !this.#names[known]!.split('+').includes(name))
      this.#names[known] += `+${name}`;
    for (const one of found) this.#ofFound.set(one, number);
    return number;
  }
}
