/** Lists that the server returns in pages. */
import type { RestClient } from '../rest-client.ts';

/** Parameters of a query. Lists are joined with commas. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
type Page = Readonly<Record<string, unknown>>;

/** Yields pages until `next` is null. A page may be empty although more follow. `cursor`: the parameter for the value of `next`. */
export async function* pagesOf<Q extends object>(
  client: RestClient,
  path: string,
  query: Q,
  cursor: keyof Q & string,
): AsyncGenerator<Page> {
  for (let at: unknown = query[cursor]; ;) {
    const asked = pathWith(path, { ...query, [cursor]: at } as Query);
    const page = client.good(await client.ask({ method: 'GET', path: asked })) as Page;
    yield page;
    if (page['next'] === null) return;
    at = page['next'];
  }
}

export function pathWith(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
