/**
 * Follows tracks through zones and over lines: sightings in the order of their times are the input, events are the output. Live streams and
 * files use the same code. It uses no clock, and its state is plain data.
 */
import type { Properties } from '../types.ts';
import { isDue, isMeant, ruleHit, watchedRule, type RulePlace, type WatchedRule } from './rules.ts';
import { anchorPoint, crossingOf, isInside, type PictureSize } from './shapes.ts';
import { passageAfter, passageProperties } from './track-properties.ts';
import type { Direction, RuleEvent, Sighting, Zone, ZoneEvent, ZonePlan } from './types.ts';
import {
  followedTrack,
  LONGEST_STEP_MS,
  MOST_TRACKS,
  NOTHING_SEEN,
  stepBetween,
  type Visit,
  type WatchedTrack,
  type WatchState,
} from './watch-state.ts';

export class ZoneWatch {
  readonly #plan: ZonePlan;
  readonly #rules: readonly WatchedRule[];
  readonly #tracks = new Map<string, WatchedTrack>();
  /** Tracks of a dead component. */
  readonly #left: Map<string, WatchedTrack>;
  readonly #last: Map<string, number>;
  readonly #reached: Set<string>;
  #ignored: number;

  /** `state`: of the previous component. New tracks continue its tracks if they begin close to the last sightings. */
  constructor(plan: ZonePlan, { tracks, last, reached, ignored }: WatchState = NOTHING_SEEN) {
    this.#plan = plan;
    this.#rules = plan.rules.map(watchedRule);
    this.#left = new Map(Object.entries(tracks));
    this.#last = new Map(Object.entries(last));
    this.#reached = new Set(reached);
    this.#ignored = ignored;
  }

  get state(): WatchState {
    return {
      tracks: Object.fromEntries([...this.#left, ...this.#tracks]),
      last: Object.fromEntries(this.#last),
      reached: [...this.#reached],
      ignored: this.#ignored,
    };
  }

  /** True if a track is in a zone, so that its time counts. */
  get isBusy(): boolean {
    for (const { visits } of this.#tracks.values()) for (const _ in visits) return true;
    return this.#left.size > 0;
  }

  occupancy(zone: string): number {
    let found = 0;
    for (const track of this.#all()) if (track.visits[zone] !== undefined) found++;
    return found;
  }

  /** `size`: of the picture in whose pixels the box is. */
  see(sighting: Sighting, size: PictureSize): readonly ZoneEvent[] {
    const before = this.#tracks.get(sighting.track);
    if (before === undefined && this.#tracks.size >= MOST_TRACKS) {
      this.#ignored++;
      return [];
    }
    const events: ZoneEvent[] = [];
    const seen = this.#seenAs(sighting, size);
    const known = before ?? this.#takeUp(seen);
    if (known === undefined) events.push({ type: 'trackBegan', ...factsOf(seen) });
    const passed = known?.passed;
    const now = { ...seen, id: known?.id ?? seen.id, ...(passed === undefined ? {} : { passed }) };
    if (known !== undefined && known.class !== now.class)
      events.push({ type: 'classChanged', before: known.class, ...factsOf(now) });
    this.#move(sighting.track, known, now, events);
    this.#pass(sighting.track, events);
    return events;
  }

  /** Zones and lines that the track touched so far, as properties. Empty if it touched none, or has ended. */
  propertiesOf(track: string): Properties {
    const known = this.#tracks.get(track);
    return passageProperties(known?.passed, (zone) => known?.visits[zone]?.dwellMs ?? 0);
  }

  /** The track gets no more sightings. It left all zones at its last one. */
  end(track: string): readonly ZoneEvent[] {
    const known = this.#tracks.get(track);
    if (known === undefined) return [];
    this.#tracks.delete(track);
    return this.#leaveAll(known);
  }

  /** Advances the time. Tracks of a dead component end if no new track continues them. */
  pass(at: number): readonly ZoneEvent[] {
    const events: ZoneEvent[] = [];
    for (const [key, track] of this.#left) {
      if (Math.abs(at - track.at) <= LONGEST_STEP_MS) continue;
      this.#left.delete(key);
      events.push(...this.#leaveAll(track));
    }
    return events;
  }

  /** Ends all tracks. */
  endAll(): readonly ZoneEvent[] {
    const gone = [...this.#left.values()];
    this.#left.clear();
    return [
      ...gone.flatMap((track) => this.#leaveAll(track)),
      ...[...this.#tracks.keys()].flatMap((track) => this.end(track)),
    ];
  }

  *#all(): Iterable<WatchedTrack> {
    yield* this.#left.values();
    yield* this.#tracks.values();
  }

  #seenAs({ track, type, classification, confidence, at, frame, box }: Sighting, size: PictureSize) {
    const point = anchorPoint(box, size, this.#plan.anchor ?? 'BOTTOM');
    const name = (classification?.trim() || type).toUpperCase();
    return { id: track, class: name, confidence, at, frame, point, box, visits: {} };
  }

  #takeUp(seen: WatchedTrack): WatchedTrack | undefined {
    const key = this.#left.size === 0 ? undefined : followedTrack(this.#left, seen);
    if (key === undefined) return undefined;
    const track = this.#left.get(key);
    this.#left.delete(key);
    return track;
  }

  #move(name: string, before: WatchedTrack | undefined, now: WatchedTrack, events: ZoneEvent[]): void {
    const visits: Record<string, Visit> = {};
    const entered: Zone[] = [];
    const left: Zone[] = [];
    for (const zone of this.#plan.zones) {
      const visit = before?.visits[zone.name];
      if (isInside(now.point, zone.points)) {
        visits[zone.name] = visit === undefined ? visitFrom(now) : continueVisit(visit, before!.at, now);
        if (visit === undefined) entered.push(zone);
      } else if (visit !== undefined) left.push(zone);
    }
    this.#tracks.set(name, { ...now, visits });
    for (const zone of left) this.#leave(zone.name, before!.visits[zone.name]!, now, events);
    for (const zone of entered) this.#enter(zone.name, { ...now, visits }, events);
    if (before !== undefined) this.#cross(before, now, events);
    this.#look(name, events);
  }

  #pass(name: string, events: readonly ZoneEvent[]): void {
    const track = this.#tracks.get(name)!;
    const passed = passageAfter(track.passed, events);
    if (passed !== undefined && passed !== track.passed) this.#tracks.set(name, { ...track, passed });
  }

  #enter(zone: string, track: WatchedTrack, events: ZoneEvent[]): void {
    events.push({ type: 'entered', zone, occupancy: this.occupancy(zone), ...factsOf(track) });
  }

  #leave(zone: string, visit: Visit, track: WatchedTrack, events: ZoneEvent[]): void {
    const { since, dwellMs } = visit;
    events.push({ type: 'left', zone, occupancy: this.occupancy(zone), since, dwellMs, ...factsOf(track) });
    for (const rule of this.#rulesOf('LEAVE', zone))
      if (isMeant(rule, track.class, visit.confidence)) this.#fire(rule, track, { visit }, events);
    for (const rule of this.#rulesOf('COUNT', zone)) this.#count(rule, track, events);
  }

  #leaveAll(track: WatchedTrack): readonly ZoneEvent[] {
    const events: ZoneEvent[] = [];
    for (const [zone, visit] of Object.entries(track.visits)) this.#leave(zone, visit, track, events);
    events.push({ type: 'trackEnded', ...factsOf(track) });
    return events;
  }

  #cross(before: WatchedTrack, now: WatchedTrack, events: ZoneEvent[]): void {
    for (const line of this.#plan.lines) {
      const direction = crossingOf(before.point, now.point, line);
      if (direction === undefined) continue;
      events.push({ type: 'crossed', line: line.name, direction, ...factsOf(now) });
      this.#crossRules(line.name, direction, now, events);
    }
  }

  #crossRules(line: string, direction: Direction, track: WatchedTrack, events: ZoneEvent[]): void {
    for (const rule of this.#rules) {
      if (rule.line !== line || (rule.direction ?? direction) !== direction) continue;
      if (isMeant(rule, track.class, track.confidence)) this.#fire(rule, track, { direction }, events);
    }
  }

  #rulesOf(event: RuleEvent, zone: string): readonly WatchedRule[] {
    return this.#rules.filter((rule) => rule.event === event && rule.zone === zone);
  }

  /**
   * Applies the rules about zones to a track. A DWELL event that a schedule or a cool-down prevents follows later, if the track is still in
   * the zone.
   */
  #look(name: string, events: ZoneEvent[]): void {
    for (const rule of this.#rules) {
      const track = this.#tracks.get(name)!;
      const visit = rule.zone === undefined ? undefined : track.visits[rule.zone];
      if (rule.event === 'COUNT' && rule.zone !== undefined) this.#count(rule, track, events);
      if (visit === undefined || visit.done.includes(rule.name)) continue;
      if (rule.event !== 'ENTER' && rule.event !== 'DWELL') continue;
      if (rule.event === 'DWELL' && visit.dwellMs < (rule.longerThan ?? 0) * 1_000) continue;
      if (!isMeant(rule, track.class, visit.confidence)) continue;
      // An entry event that a schedule or a cool-down prevents is lost. A visit that is long enough may still trigger later.
      const isHit = this.#fire(rule, track, { visit }, events);
      if (isHit || rule.event === 'ENTER') this.#done(name, rule);
    }
  }

  #done(name: string, { zone = '', name: rule }: WatchedRule): void {
    const track = this.#tracks.get(name)!;
    const visit = track.visits[zone]!;
    const visits = { ...track.visits, [zone]: { ...visit, done: [...visit.done, rule] } };
    this.#tracks.set(name, { ...track, visits });
  }

  #count(rule: WatchedRule, track: WatchedTrack, events: ZoneEvent[]): void {
    const { zone = '', atLeast = 1, name } = rule;
    let occupancy = 0;
    for (const { class: one, visits } of this.#all()) {
      const visit = visits[zone];
      if (visit !== undefined && isMeant(rule, one, visit.confidence)) occupancy++;
    }
    if (occupancy < atLeast) this.#reached.delete(name);
    else if (!this.#reached.has(name) && this.#fire(rule, track, { occupancy }, events))
      this.#reached.add(name);
  }

  #fire(rule: WatchedRule, track: WatchedTrack, place: RulePlace, events: ZoneEvent[]): boolean {
    if (!isDue(rule, track.at, this.#last.get(rule.name))) return false;
    this.#last.set(rule.name, track.at);
    events.push(ruleHit(rule, track, place));
    return true;
  }
}

const factsOf = ({ at, frame, id: track, class: name, confidence, box }: WatchedTrack) => ({
  ...{ at, frame, track, class: name, confidence, box },
});

const visitFrom = ({ at, confidence }: WatchedTrack): Visit => ({
  since: at,
  dwellMs: 0,
  confidence,
  done: [],
});

const continueVisit = (visit: Visit, before: number, { at, confidence }: WatchedTrack): Visit => ({
  ...visit,
  dwellMs: visit.dwellMs + stepBetween(before, at),
  confidence: Math.max(visit.confidence, confidence),
});
