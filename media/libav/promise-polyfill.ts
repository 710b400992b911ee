/** node-av's streaming helpers call Promise.withResolvers, which Node 20 lacks; import this before anything of node-av. */
interface WithResolvers {
  withResolvers?: () => {
    promise: Promise<unknown>;
    resolve: (value: unknown) => void;
    reject: (reason: unknown) => void;
  };
}

const target: WithResolvers = Promise as unknown as WithResolvers;
target.withResolvers ??= () => {
  let resolve: (value: unknown) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};

export {};
