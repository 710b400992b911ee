import type { Action, Pipeline, Task } from '../../domain/types.ts';
import type { Descriptor } from './descriptors/descriptor.ts';
import type { ElementKind, Registrant } from './state.ts';

export type CatalogCommand =
  /** From the server at its start: these components are installed, and no others; `besides`: others may be, with another server. */
  | { readonly type: 'install'; readonly descriptors: readonly Descriptor[]; readonly besides: boolean }
  /** From a server that shares its store: another one may have changed it. */
  | { readonly type: 'read' }
  /** From a client: a component that it runs by itself. */
  | {
      readonly type: 'register';
      readonly descriptor: Descriptor;
      readonly by: Registrant;
      /** It may replace an installed component, and that of another user. */
      readonly byAdmin: boolean;
    }
  /** From a client: a component is removed with its elements. `byAdmin`: it may be that of another user than `by`. */
  | {
      readonly type: 'unregister';
      readonly componentName: string;
      readonly by: Registrant;
      readonly byAdmin: boolean;
    }
  /** From a client: an element of its own. `by`: the user. */
  | ({ readonly type: 'addAction'; readonly element: Action } & ByUser)
  | ({ readonly type: 'addTask'; readonly element: Task } & ByUser)
  | ({ readonly type: 'addPipeline'; readonly element: Pipeline } & ByUser)
  /**
   * From a client: an element is deleted. A name that does not exist is no error. `byAdmin`: it may be that of a component, or of another
   * user than `by`.
   */
  | ({
      readonly type: 'remove';
      readonly kind: ElementKind;
      readonly name: string;
      readonly byAdmin: boolean;
    } & ByUser);

interface ByUser {
  readonly by?: string | undefined;
}

export interface CatalogDone {
  readonly kind: 'done';
  readonly outcome: 'ADDED' | 'REPLACED' | 'REMOVED' | 'UNCHANGED';
}

export type CatalogRefusal =
  /** The name belongs to somebody else. */
  | 'NAME_TAKEN'
  /** In place of a secret stands what is shown of it. */
  | 'CENSORED'
  /** The component is managed: it cannot be registered or removed by clients. */
  | 'MANAGED'
  /** Only an ADMIN may delete the element of a component, or replace an installed component. */
  | 'INSTALLED'
  /** Only its owner and an ADMIN may delete the element, or replace or remove the component. */
  | 'FOREIGN'
  | 'UNKNOWN'
  /** A limit of the settings is reached. */
  | 'FULL';
