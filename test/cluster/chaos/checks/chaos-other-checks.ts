/** Guarantees about streaming jobs and registered elements. */
import type { ChaosStream, History, Violation } from '../chaos-history.ts';

/** A streaming job runs until it is cancelled, then ends as cancelled and does not change any more. */
export function endsOfStreams({ streams }: History): readonly Violation[] {
  return streams.flatMap((stream) => {
    const { key, jobId, seen } = stream;
    const last = seen.at(-1);
    const rule = 'a stream ends once';
    const changed = seen.find(
      (one, n) => n > 0 && seen[n - 1]!.terminal && one.jobStatus !== seen[n - 1]!.jobStatus,
    );
    if (changed !== undefined)
      return [{ rule, says: `${key} (${jobId}) had ended, and then was ${changed.jobStatus}` }];
    if (last?.jobStatus !== 'CANCELLED')
      return [
        { rule, says: `${key} (${jobId}) is ${last?.jobStatus} at the end, and its client has cancelled it` },
      ];
    return segmentsOf(stream);
  });
}

function segmentsOf({ key, jobId, seen }: ChaosStream): readonly Violation[] {
  const fewer = seen.find((one, n) => n > 0 && one.segments < seen[n - 1]!.segments);
  if (fewer === undefined) return [];
  return [
    {
      rule: 'segments of a stream stay',
      says: `${key} (${jobId}) had more than ${fewer.segments} segments before`,
    },
  ];
}

export function idsOfStreams({ streams }: History): readonly Violation[] {
  const keys = new Map<number, string>();
  return streams.flatMap(({ key, ids }) => {
    const rule = 'ids never collide';
    const found = new Set(ids).size > 1 ? [{ rule, says: `${key} is ${ids.join(' and ')}` }] : [];
    const other = keys.get(ids[0]!);
    keys.set(ids[0]!, key);
    return other === undefined ? found : [...found, { rule, says: `${ids[0]} is ${other} and ${key}` }];
  });
}

export function whatIsRegistered({ registered }: History): readonly Violation[] {
  const rule = 'what is registered is known to all';
  return registered.flatMap(({ path, isThere, isUnclear, answers, last = [] }) => {
    const failed = answers.filter((answer) => /^5|^broken/.test(answer));
    const isSure = isThere || !isUnclear;
    const wrong = isSure ? last.filter((status) => status !== (isThere ? 200 : 404)) : [];
    return [
      ...failed.map((answer) => ({ rule, says: `${path} was answered ${answer}` })),
      ...wrong.map((status) => ({
        rule,
        says: `${path}: a server answers ${status}, and it was ${isThere ? 'registered' : 'taken away'} (${answers.join('; ')})`,
      })),
    ];
  });
}
