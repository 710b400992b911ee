/** Zones and lines of a camera while they are drawn. Points are fractions of the picture. */
import type { Line, Point, Rule, RuleEvent, Zone } from './types.ts';

/** An area or a line, with the event that it leads to. */
export interface Shape {
  readonly kind: 'ZONE' | 'LINE';
  readonly name: string;
  readonly points: readonly Point[];
  /** Undefined: it is only counted. */
  readonly alert: Alert | undefined;
}

export interface Alert {
  readonly event: RuleEvent;
  /** Classes with commas between; empty: all. */
  readonly classes: string;
  /** Seconds in the zone, or tracks in it at a time. */
  readonly least: number;
}

export interface Draft {
  readonly shapes: readonly Shape[];
  /** The shape that is changed; undefined: none. */
  readonly chosen: number | undefined;
}

interface Plan {
  readonly zones: readonly Zone[];
  readonly lines: readonly Line[];
  readonly rules: readonly Rule[];
}

const LINE_POINTS = 2;
const LEAST_POINTS = { ZONE: 3, LINE: LINE_POINTS };
const DECIMALS = 10_000;

export const draftOf = ({ zones, lines, rules }: Plan): Draft => ({
  shapes: [
    ...zones.map((zone) => shapeOf('ZONE', zone, rules)),
    ...lines.map((line) => shapeOf('LINE', line, rules)),
  ],
  chosen: undefined,
});

function shapeOf(kind: Shape['kind'], { name, points }: Zone, rules: readonly Rule[]): Shape {
  const rule = rules.find((one) => (kind === 'ZONE' ? one.zone : one.line) === name);
  return { kind, name, points, alert: rule && alertOf(rule) };
}

function alertOf({ event, line, longerThan, atLeast, classes = [] }: Rule): Alert {
  const others = line === undefined ? 'ENTER' : 'CROSS';
  const meant = longerThan !== undefined ? 'DWELL' : atLeast !== undefined ? 'COUNT' : others;
  return { event: event ?? meant, classes: classes.join(', '), least: longerThan ?? atLeast ?? 1 };
}

/** A new shape, which is chosen; its points follow. */
export function addShape({ shapes }: Draft, kind: Shape['kind'], name: string): Draft {
  const taken = new Set(shapes.map((shape) => shape.name));
  let [free, number] = [name, 2];
  while (taken.has(free)) free = `${name} ${number++}`;
  return {
    shapes: [...shapes, { kind, name: free, points: [], alert: undefined }],
    chosen: shapes.length,
  };
}

export const changeShape = (draft: Draft, place: number, change: Partial<Shape>): Draft => ({
  ...draft,
  shapes: draft.shapes.map((shape, n) => (n === place ? { ...shape, ...change } : shape)),
});

export const removeShape = ({ shapes }: Draft, place: number): Draft => ({
  shapes: shapes.toSpliced(place, 1),
  chosen: undefined,
});

/** Of the shape that is chosen. A line has no third point. */
export function addPoint(draft: Draft, point: Point): Draft {
  const shape = chosenShape(draft);
  if (shape === undefined || (shape.kind === 'LINE' && shape.points.length >= LINE_POINTS)) return draft;
  return changeShape(draft, draft.chosen!, { points: [...shape.points, within(point)] });
}

export function movePoint(draft: Draft, place: number, point: Point): Draft {
  const shape = chosenShape(draft);
  if (shape === undefined) return draft;
  return changeShape(draft, draft.chosen!, { points: shape.points.with(place, within(point)) });
}

export function removePoint(draft: Draft, place: number): Draft {
  const shape = chosenShape(draft);
  if (shape === undefined) return draft;
  return changeShape(draft, draft.chosen!, { points: shape.points.toSpliced(place, 1) });
}

export const chosenShape = ({ shapes, chosen }: Draft): Shape | undefined =>
  chosen === undefined ? undefined : shapes[chosen];

const within = ([x, y]: Point): Point => [roundShare(x), roundShare(y)];
const roundShare = (share: number) => Math.round(Math.max(0, Math.min(1, share)) * DECIMALS) / DECIMALS;

/** Shapes that lack points. */
export const unfinishedShapes = ({ shapes }: Draft): readonly Shape[] =>
  shapes.filter(({ kind, points }) => points.length < LEAST_POINTS[kind]);

/** As the request names them. */
export function planOf({ shapes }: Draft): Plan {
  const of = (kind: Shape['kind']) => shapes.filter((shape) => shape.kind === kind);
  return {
    zones: of('ZONE').map(({ name, points }) => ({ name, points })),
    lines: of('LINE').map(({ name, points }) => ({ name, points })),
    rules: shapes.flatMap(ruleOf),
  };
}

function ruleOf({ kind, name, alert }: Shape): readonly Rule[] {
  if (alert === undefined) return [];
  const { event, least } = alert;
  const classes = alert.classes
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return [
    {
      name,
      event,
      ...(kind === 'ZONE' ? { zone: name } : { line: name }),
      ...(classes.length > 0 && { classes }),
      ...(event === 'DWELL' && { longerThan: least }),
      ...(event === 'COUNT' && { atLeast: least }),
    },
  ];
}
