import type { Action, Algorithm, Pipeline, Task } from '../../domain/types.ts';
import type { Row } from '../../store/store.ts';
import type { Descriptor } from './descriptors/descriptor.ts';

/** The content of the catalog, each kind by name. It is immutable: a reader keeps the version that it has read. */
export interface CatalogState {
  readonly component: ReadonlyMap<string, Component>;
  readonly algorithm: ReadonlyMap<string, Owned<Algorithm>>;
  readonly action: ReadonlyMap<string, Owned<Action>>;
  readonly task: ReadonlyMap<string, Owned<Task>>;
  readonly pipeline: ReadonlyMap<string, Owned<Pipeline>>;
}
export type Kind = keyof CatalogState;
export const KINDS = ['component', 'algorithm', 'action', 'task', 'pipeline'] as const satisfies Kind[];
/** Kinds that clients add and remove one by one. */
export const ELEMENTS = ['action', 'task', 'pipeline'] as const satisfies Kind[];
export type ElementKind = (typeof ELEMENTS)[number];

export interface Owned<T> {
  readonly element: T;
  /** Name of the component that registered it; null if a user posted it. */
  readonly component: string | null;
  /** The user who posted it; absent if unknown, or if a component registered it. */
  readonly owner?: string;
  /** Characters of its JSON. */
  readonly size: number;
}

export interface Component {
  readonly descriptor: Descriptor;
  /** True if it is installed with the server, which starts and stops its processes. Clients registered all others. */
  readonly managed: boolean;
  /** Users who registered this descriptor and may serve it. The first one is the owner. Empty for managed components. */
  readonly registrants: readonly Registrant[];
  /**
   * Row keys of elements that the component lacks: their names were in use, or a registered component has its algorithm. Only for managed
   * components.
   */
  readonly withheld: readonly string[];
  readonly size: number;
}

export interface Registrant {
  /** The user's subject at the identity provider; null if the token has none. */
  readonly subject: string | null;
  readonly name: string;
}

export const isUnchanged = (before: CatalogState, after: CatalogState): boolean =>
  KINDS.every((kind) => before[kind] === after[kind]);

export const EMPTY_CATALOG: CatalogState = {
  component: new Map(),
  algorithm: new Map(),
  action: new Map(),
  task: new Map(),
  pipeline: new Map(),
};

/** Key of a row. Names contain no '/', so with the closing one no key is a prefix of another. */
export const keyOf = (kind: Kind, name: string) => `${kind}/${name}/`;

export function ownedBy<T>(element: T, component: string | null, owner?: string): Owned<T> {
  const size = JSON.stringify(element).length;
  return { element, component, size, ...(owner === undefined ? {} : { owner }) };
}

/** The user who removes an element. */
export interface Remover {
  /** Name of the user; absent if unknown. */
  readonly by?: string | undefined;
  /** True if the user may remove any element. */
  readonly byAdmin: boolean;
}

/** True if a user may remove an element. Only an ADMIN may remove elements of components and of other users. */
export const isRemovable = (
  { component, owner }: Pick<Owned<unknown>, 'component' | 'owner'>,
  { by, byAdmin }: Remover,
): boolean => byAdmin || (component === null && (owner === undefined || owner === by));

/** True if two elements or descriptors are equal. Both are parsed with one schema, so their fields have the same order. */
export const sameContent = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Returns the rows that a commit must write and remove to change `before` into `after`. */
export function rowChanges(
  before: CatalogState,
  after: CatalogState,
): { readonly putRows: readonly Row[]; readonly removeRows: readonly string[] } {
  const putRows: Row[] = [];
  const removeRows: string[] = [];
  for (const kind of KINDS) {
    if (before[kind] === after[kind]) continue;
    for (const [name, body] of after[kind])
      if (before[kind].get(name) !== body) putRows.push({ key: keyOf(kind, name), body });
    for (const name of before[kind].keys()) if (!after[kind].has(name)) removeRows.push(keyOf(kind, name));
  }
  return { putRows, removeRows };
}
