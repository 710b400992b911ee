import type { Store } from '../../store/store.ts';
import { dayOf, NO_USAGE, usageOfDay, type UsageFigures, type UsageKind } from '../../domain/users/usage.ts';

const DAY_MS = 86_400_000;

export interface UsageQuery {
  readonly by: UsageKind;
  /** First and last day, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

export interface NamedUsage extends UsageFigures {
  readonly name: string;
}

/** Usage of ended runs in these days, the largest first. The cost grows with the days and with the number of users. */
export async function usageBy(store: Store, { by, from, to }: UsageQuery): Promise<readonly NamedUsage[]> {
  const used = new Map<string, NamedUsage>();
  for (let at = from; at <= to; at += DAY_MS) {
    const start = `${usageOfDay(dayOf(at))}${by}/`;
    for (const [counter, value] of await store.counters(start)) {
      const [encodedName = '', figure = ''] = counter.slice(start.length).split('/');
      const name = decodeURIComponent(encodedName);
      const known = used.get(name) ?? { name, ...NO_USAGE };
      if (isFigure(figure)) used.set(name, { ...known, [figure]: known[figure] + value });
    }
  }
  return [...used.values()].sort((a, b) => b.ms - a.ms || (a.name < b.name ? -1 : 1));
}

const isFigure = (name: string): name is keyof UsageFigures => Object.hasOwn(NO_USAGE, name);
