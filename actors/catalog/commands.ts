import type { Action, Pipeline, Task } from '../../domain/types.ts';
import type { Descriptor } from './descriptors/descriptor.ts';
import type { ElementKind, Registrant } from './state.ts';

export type CatalogCommand =
  /** From the server at its start: exactly these components are installed. `besides`: another server may have others installed. */
  | { readonly type: 'install'; readonly descriptors: readonly Descriptor[]; readonly besides: boolean }
  /** From a server with a shared store: another server may have changed the catalog. */
  | { readonly type: 'read' }
  /** From a client: registers a component that the client runs. */
  | {
      readonly type: 'register';
      readonly descriptor: Descriptor;
      readonly by: Registrant;
      /** True if it may replace an installed component or one of another user. */
      readonly byAdmin: boolean;
    }
  /** From a client: removes a component with its elements. `byAdmin`: it may belong to another user than `by`. */
  | {
      readonly type: 'unregister';
      readonly componentName: string;
      readonly by: Registrant;
      readonly byAdmin: boolean;
    }
  /** From a client: adds an element of the user `by`. */
  | ({ readonly type: 'addAction'; readonly element: Action } & ByUser)
  | ({ readonly type: 'addTask'; readonly element: Task } & ByUser)
  | ({ readonly type: 'addPipeline'; readonly element: Pipeline } & ByUser)
  /**
   * From a client: deletes an element. A missing element is not an error. `byAdmin`: it may belong to a component, or to another
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
  /** The name is in use. */
  | 'NAME_TAKEN'
  /** A value is the placeholder that is shown instead of a secret. */
  | 'CENSORED'
  /** The component is managed. Clients cannot register or remove it. */
  | 'MANAGED'
  /** Only an ADMIN may delete the element of a component, or replace an installed component. */
  | 'INSTALLED'
  /** Only its owner and an ADMIN may delete the element, or replace or remove the component. */
  | 'FOREIGN'
  | 'UNKNOWN'
  /** A limit of the settings is reached. */
  | 'FULL';
