/** Zones and lines of a camera while they are edited. Points are fractions of the picture. */
import { alertOf, ruleOf, type Alert } from './alert.ts';
import type { Anchor, Line, Point, Rule, Zone } from './types.ts';

/** An area or a line, with the event that it can cause. */
export interface Shape {
  readonly kind: 'ZONE' | 'LINE';
  readonly name: string;
  readonly points: readonly Point[];
  /** Undefined if the shape only counts. */
  readonly alert: Alert | undefined;
  /** Other rules of the shape, which have no fields in the panel. */
  readonly others: readonly Rule[];
}

export interface Draft {
  readonly shapes: readonly Shape[];
  /** Index of the selected shape. Undefined if there is none. */
  readonly chosen: number | undefined;
  readonly anchor: Anchor | undefined;
}

interface Plan {
  readonly zones: readonly Zone[];
  readonly lines: readonly Line[];
  readonly rules: readonly Rule[];
  readonly anchor?: Anchor | undefined;
}

const LINE_POINTS = 2;
const LEAST_POINTS = { ZONE: 3, LINE: LINE_POINTS };
const DECIMALS = 10_000;

export const draftOf = ({ zones, lines, rules, anchor }: Plan): Draft => ({
  shapes: [
    ...zones.map((zone) => shapeOf('ZONE', zone, rules)),
    ...lines.map((line) => shapeOf('LINE', line, rules)),
  ],
  chosen: undefined,
  anchor,
});

function shapeOf(kind: Shape['kind'], { name, points }: Zone, rules: readonly Rule[]): Shape {
  const [rule, ...others] = rules.filter((one) => (kind === 'ZONE' ? one.zone : one.line) === name);
  return { kind, name, points, alert: rule && alertOf(rule), others };
}

/** Adds a new, selected shape. Its points follow. */
export function addShape(draft: Draft, kind: Shape['kind'], name: string): Draft {
  const { shapes } = draft;
  const free = freeName(
    name,
    shapes.map((shape) => shape.name),
  );
  return {
    ...draft,
    shapes: [...shapes, { kind, name: free, points: [], alert: undefined, others: [] }],
    chosen: shapes.length,
  };
}

/** Returns the name, with the first number that makes it unique. Case does not matter. */
function freeName(name: string, known: readonly string[]): string {
  const all = new Set(known.map((one) => one.toUpperCase()));
  let [free, number] = [name, 2];
  while (all.has(free.toUpperCase())) free = `${name} ${number++}`;
  return free;
}

export const changeShape = (draft: Draft, place: number, change: Partial<Shape>): Draft => ({
  ...draft,
  shapes: draft.shapes.map((shape, n) => (n === place ? { ...shape, ...change } : shape)),
});

export const removeShape = (draft: Draft, place: number): Draft => ({
  ...draft,
  shapes: draft.shapes.toSpliced(place, 1),
  chosen: undefined,
});

/** Adds a point to the selected shape, unless it is a line with two points. */
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

/** Returns the shapes with too few points. */
export const unfinishedShapes = ({ shapes }: Draft): readonly Shape[] =>
  shapes.filter(({ kind, points }) => points.length < LEAST_POINTS[kind]);

/** Returns the zones, lines and rules of the request. Unchanged rules keep all members. */
export function planOf({ shapes, anchor }: Draft): Plan {
  const of = (kind: Shape['kind']) => shapes.filter((shape) => shape.kind === kind);
  return {
    zones: of('ZONE').map(({ name, points }) => ({ name, points })),
    lines: of('LINE').map(({ name, points }) => ({ name, points })),
    rules: rulesOf(shapes),
    ...(anchor === undefined ? {} : { anchor }),
  };
}

/** Returns the rules. New rules, and rules named after their place, get the current name of the place. */
function rulesOf(shapes: readonly Shape[]): readonly Rule[] {
  const names = shapes.flatMap(({ alert, others }) => [
    ...(alert === undefined ? [] : ownName(alert)),
    ...others.map(({ name }) => name),
  ]);
  return shapes.flatMap(({ kind, name, alert, others }) => {
    const place = kind === 'ZONE' ? { zone: name } : { line: name };
    const kept = others.map((rule) => ({ ...rule, ...place }));
    if (alert === undefined) return kept;
    const [own = freeName(name, names)] = ownName(alert);
    names.push(own);
    return [ruleOf(alert, own, place), ...kept];
  });
}

/** Returns the rule's own name. Returns an empty list if the rule is named after its place. */
const ownName = ({ rule }: Alert): readonly string[] =>
  rule === undefined || rule.name === (rule.zone ?? rule.line) ? [] : [rule.name];
