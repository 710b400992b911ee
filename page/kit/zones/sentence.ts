/** Sentences about the events in zones, of cameras and of media. */
import type { z } from 'zod';
import type { mediumZoneRun } from '../../../http/schemas/jobs/zone-runs.ts';
import { duration, words } from '../format.ts';
import { TEXT } from '../text.ts';

export type MediumZoneRun = z.output<typeof mediumZoneRun>;
export type HappenedEvent = MediumZoneRun['events'][number];

/** Describes a leave event. A stay of less than a second is not mentioned. */
const leftSentence = (what: string, zone: string, dwellMs: number): string =>
  dwellMs < 1_000 ? TEXT.streams.left(what, zone) : TEXT.streams.leftAfter(what, zone, duration(dwellMs));

/** Describes the event of a rule. The name of the rule is included if it differs from that of its place. */
function ruleSentence(event: HappenedEvent, what: string): string {
  const { zone, line, rule = '', kind = 'ENTER', dwellMs = 0, occupancy = 0 } = event;
  const place = zone ?? line ?? '';
  const sentence = {
    ENTER: TEXT.streams.entered(what, place),
    LEAVE: leftSentence(what, place, dwellMs),
    DWELL: TEXT.streams.stays(what, place, duration(dwellMs)),
    COUNT: TEXT.streams.areThere(occupancy, place),
    CROSS: TEXT.streams.crossed(what, place),
  }[kind];
  return rule === place ? sentence : TEXT.streams.eventOfRule(rule, sentence);
}

/** Describes an event such as `Person entered yard`. */
export function sentenceOf(event: HappenedEvent): string {
  const { zone = '', line = '', dwellMs = 0, before = '' } = event;
  const what = words(event.class);
  switch (event.event) {
    case 'rule':
      return ruleSentence(event, what);
    case 'entered':
      return TEXT.streams.entered(what, zone);
    case 'left':
      return leftSentence(what, zone, dwellMs);
    case 'crossed':
      return TEXT.streams.crossed(what, line);
    case 'trackBegan':
      return TEXT.streams.appeared(what);
    case 'classChanged':
      return TEXT.streams.changedClass(words(before), what);
    case 'trackEnded':
      return TEXT.streams.wentAway(what);
  }
}
