/** The counts of the filters of a search. */
import type { z } from 'zod';
import type { searchCounts } from '../../http/schemas/search/search.ts';
import { get } from '../kit/api.ts';
import { useLoaded, type Loaded } from '../kit/load.ts';
import { askedOf, DAYS, startOf, without, type Asked } from './conditions.ts';

type Answer = z.output<typeof searchCounts>;

export interface Counts extends Answer {
  /** Findings of the last days, by their number. */
  readonly days: ReadonlyMap<string, number>;
}

/** Loads the counts of all filters. Each list is counted without its own filter, so that it shows what another choice would find. */
export function useCounts(chosen: Asked): Loaded<Counts> {
  return useLoaded((signal) => countAll(chosen, signal), [JSON.stringify(askedOf(chosen))]);
}

async function countAll(chosen: Asked, signal: AbortSignal): Promise<Counts> {
  const since = DAYS.map((days) => new Date(startOf(days)).toISOString());
  const load = (some: Asked) =>
    get<Answer>('rest/search/counts', { ...askedOf(some), since: since.join(',') }, signal);
  const whole = load(chosen);
  const otherThan = (...names: readonly string[]) =>
    names.some((name) => chosen[name] !== undefined) ? load(without(chosen, ...names)) : whole;
  const [all, { findings }, { colours }, { media }, { confidences }, { since: times }] = await Promise.all([
    whole,
    otherThan('type', 'class'),
    otherThan('colour'),
    otherThan('medium'),
    otherThan('sure'),
    otherThan('days', 'from', 'to'),
  ]);
  const days = new Map(DAYS.map((number, n) => [String(number), times[n]!.tracks]));
  return { ...all, findings, colours, media, confidences, days };
}
