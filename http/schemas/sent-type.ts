/** What may be sent as this type: nobody changes it on the way, and an object of any members has them in its own type. */
export type Sent<T> = T extends readonly (infer U)[]
  ? readonly Sent<U>[]
  : T extends object
    ? Record<string, unknown> extends T
      ? object
      : { readonly [K in keyof T]: Sent<T[K]> }
    : T;
