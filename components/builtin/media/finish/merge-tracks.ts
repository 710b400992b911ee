/** Merges and prunes tracks. Only the ends of tracks are in memory; the tracks are in a file. */
import type { Place } from '../../../../results/lines.ts';
import {
  isTooShort,
  mergeGroups,
  mergePlan,
  trackEnds,
  uniteTracks,
} from '../../../../domain/tracks/track-merging.ts';
import type { MergeRule, TrackEnds } from '../../../../domain/tracks/track-merging.ts';
import type { FinishWork } from '../../../../protocol/track-work.ts';
import type { RawTrack } from './raw-tracks.ts';
import { openScratch, type Scratch } from './scratch.ts';

/** Yields the tracks. Tracks that are not merged come first, in input order. They are sorted later. */
export async function* mergedTracks(
  tracks: AsyncIterable<RawTrack>,
  work: FinishWork,
): AsyncGenerator<RawTrack> {
  const planFor = plans(work);
  let scratch: Scratch | undefined;
  let rule: MergeRule | undefined;
  const ends: TrackEnds[] = [];
  const places: Place[] = [];
  try {
    for await (const track of tracks) {
      const plan = planFor(track.type);
      if (plan.merge === null) {
        if (!isTooShort(track, plan.minLength)) yield track;
        continue;
      }
      rule = plan.merge;
      scratch ??= openScratch();
      ends.push(trackEnds(track));
      places.push(await scratch.write(JSON.stringify(track)));
    }
    if (rule === undefined || scratch === undefined) return;
    for (const group of mergeGroups(ends, rule)) {
      const track = await uniteGroup(group, places, scratch);
      if (track !== undefined && !isTooShort(track, planFor(track.type).minLength)) yield track;
    }
  } finally {
    await scratch?.close();
  }
}

async function uniteGroup(
  group: readonly number[],
  places: readonly Place[],
  scratch: Scratch,
): Promise<RawTrack | undefined> {
  let united: RawTrack | undefined;
  for (const index of group) {
    const place = places[index];
    if (place === undefined) continue;
    const track = JSON.parse(await scratch.read(place)) as RawTrack;
    united = united === undefined ? track : uniteTracks(united, track);
  }
  return united;
}

function plans({ properties, medium }: FinishWork): (type: string) => ReturnType<typeof mergePlan> {
  const known = new Map<string, ReturnType<typeof mergePlan>>();
  return (type) => {
    const plan = known.get(type) ?? mergePlan(properties, medium.mediaType, type);
    known.set(type, plan);
    return plan;
  };
}
