/** Type of a value that may be sent as `T`: all its parts are readonly, and objects with any members keep their own type. */
export type Sent<T> = T extends readonly (infer U)[]
  ? readonly Sent<U>[]
  : T extends object
    ? Record<string, unknown> extends T
      ? object
      : { readonly [K in keyof T]: Sent<T[K]> }
    : T;
