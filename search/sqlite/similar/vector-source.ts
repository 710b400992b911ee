import type Database from 'better-sqlite3';
import type { Sight } from '../../../domain/users/owner.ts';
import type { VectorSource, VectorSourceQuery } from '../../../store/search.ts';
import { ownersSeen, seenBy, seesNobody } from '../media-finder.ts';
import { statementOf, WHOLE } from '../schema.ts';

/**
 * Finds the newest job with a vector of this model and algorithm, if given, and the action that created it. Excludes live streams, because
 * their media no longer exist.
 */
export function findVectorSource(database: Database.Database, query: VectorSourceQuery): VectorSource | null {
  return newestSource(database, query)?.source ?? null;
}

/** Finds the same for each model with vectors, the one of the newest vectors first. */
export function findVectorModels(database: Database.Database, sight: Sight): readonly VectorSource[] {
  const models = statementOf<[], string>(
    database,
    'select distinct model from spaces s where exists (select 1 from vectors where space = s.id)',
  ).pluck();
  return models
    .all()
    .flatMap((model) => newestSource(database, { model, sight }) ?? [])
    .toSorted((a, b) => b.row - a.row)
    .map(({ source }) => source);
}

interface FoundSource {
  readonly source: VectorSource;
  /** Row of the vector. */
  readonly row: number;
}

function newestSource(
  database: Database.Database,
  { model, algorithm, sight }: VectorSourceQuery,
): FoundSource | undefined {
  if (seesNobody(sight)) return undefined;
  const ofModel = model === undefined ? '' : 'and v.space in (select id from spaces where model = @model)';
  const ofAlgorithm =
    algorithm === undefined
      ? ''
      : `and exists (select 1 from tracks o join finders g on g.id = o.finder
           where o.id = v.id and g.algorithm = @algorithm)`;
  const meant = `${ofModel} ${ofAlgorithm}`;
  const ofJob = `from vectors v where v.id between j.first and j.last ${meant}`;
  const job = statementOf<[object], { first: number; last: number; number: number }>(
    database,
    `select j.number, j.first, j.last from jobs j
       where j.state = ${WHOLE} and j.stream is null and j.last >= j.first and ${ownersSeen(sight)}
         and exists (select 1 ${ofJob}) order by j.id desc limit 1`,
  ).get({ model, algorithm, ...seenBy(sight) });
  if (job === undefined) return undefined;
  const { number } = job;
  const made = statementOf<[object], Omit<VectorSource, 'number'> & { readonly row: number }>(
    database,
    `select f.task, f.action, f.algorithm, s.model, v.id as row from vectors v join spaces s on s.id = v.space
         join tracks t on t.id = v.id join finders f on f.id = t.finder
       where v.id between @first and @last ${meant} order by v.id desc limit 1`,
  ).get({ model, algorithm, first: job.first, last: job.last });
  if (made === undefined) return undefined;
  const { row, ...source } = made;
  return { source: { number, ...source }, row };
}
