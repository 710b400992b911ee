/**
 * Reading order of a picture's lines. Lines of one direction belong together. Within them, columns of running text are read one after
 * another, and all other lines row by row. Pure.
 */
import type { Box } from '../../../domain/geometry/geometry.ts';

/** A line with its box and direction. */
export interface Written extends Box {
  /** Length along and across the writing, in pixels. */
  readonly placed: { readonly width: number; readonly height: number };
  /** Direction of the writing in degrees clockwise, 0 to below 360. */
  readonly direction: number;
  readonly text: string;
}

/** A line after its writing is turned upright. */
interface Lying<T> extends Box {
  readonly line: T;
}
/** Rows from top to bottom. Lines of a row are from left to right. */
type Block<T> = readonly (readonly T[])[];

/** Maximum difference in degrees of lines with one direction. */
const SAME_DIRECTION = 20;
/** Minimum number of lines in running text ... */
const LEAST_LINES = 3;
/** ... and minimum mean ratio of their length to height. */
const LONG = 8;
/** Maximum ratio of the heights of lines in one block ... */
const SAME_HEIGHT = 1.4;
/** ... maximum gap between them, in heights ... */
const WIDEST_GAP = 0.8;
/** ... and minimum horizontal overlap, as a share of the shorter line. */
const LEAST_SHARED = 0.5;
/** Maximum number of blocks that are compared. Above it, the order is row by row, because comparing takes too long. */
const MOST_BLOCKS = 200;

/** Returns blocks of rows of lines. Lines in the direction of most text come first. */
export function inReadingOrder<T extends Written>(lines: readonly T[]): readonly Block<T>[] {
  return byDirection(lines).flatMap((group) => blocksOf(group));
}

function byDirection<T extends Written>(lines: readonly T[]): readonly (readonly Lying<T>[])[] {
  const groups: { direction: number; lines: T[]; letters: number }[] = [];
  for (const line of lines.toSorted((a, b) => b.text.length - a.text.length)) {
    const group = groups.find(({ direction }) => apart(direction, line.direction) <= SAME_DIRECTION);
    if (group === undefined)
      groups.push({ direction: line.direction, lines: [line], letters: line.text.length });
    else {
      group.lines.push(line);
      group.letters += line.text.length;
    }
  }
  return groups
    .toSorted((a, b) => b.letters - a.letters)
    .map((group) => group.lines.map((line) => layLine(line, group.direction)));
}

function apart(a: number, b: number): number {
  const difference = Math.abs(a - b) % 360;
  return Math.min(difference, 360 - difference);
}

function layLine<T extends Written>(line: T, direction: number): Lying<T> {
  const [cos, sin] = [Math.cos((direction * Math.PI) / 180), Math.sin((direction * Math.PI) / 180)];
  const [x, y] = [line.x + line.width / 2, line.y + line.height / 2];
  const { width, height } = line.placed;
  return { line, x: x * cos + y * sin - width / 2, y: y * cos - x * sin - height / 2, width, height };
}

function blocksOf<T>(lines: readonly Lying<T>[]): readonly Block<T>[] {
  const columns = stacks(lines).filter(isRunningText);
  const running = new Set(columns.flat());
  const rest = rows(lines.filter((line) => !running.has(line)));
  if (columns.length + rest.length > MOST_BLOCKS) return [rows(lines).map(linesOf)];
  return inBlockOrder([
    ...columns.map((column) => ({ ...boxOf(column), rows: rows(column), running: true })),
    ...rest.map((row) => ({ ...boxOf(row), rows: [row], running: false })),
  ]);
}

interface Placed extends Box {
  /** True for a column of running text. */
  readonly running: boolean;
}

interface OpenBlock<T> extends Placed {
  readonly rows: readonly (readonly Lying<T>[])[];
}

const linesOf = <T>(row: readonly Lying<T>[]): readonly T[] => row.map(({ line }) => line);

/** Returns the blocks in order. Consecutive rows that are no running text form one block. */
function inBlockOrder<T>(blocks: readonly OpenBlock<T>[]): readonly Block<T>[] {
  const found: { rows: (readonly T[])[]; running: boolean }[] = [];
  for (const { rows: own, running } of orderBlocks(blocks)) {
    const last = found.at(-1);
    if (last !== undefined && !running && !last.running) last.rows.push(...own.map(linesOf));
    else found.push({ rows: own.map(linesOf), running });
  }
  return found.map((block) => block.rows);
}

/**
 * Orders the blocks. A block comes before blocks below it. A column also comes before everything to its right, unless a block between them
 * overlaps both (such as a headline over columns).
 */
function orderBlocks<T extends Placed>(blocks: readonly T[]): readonly T[] {
  const fromTop = blocks.toSorted((a, b) => a.y - b.y || a.x - b.x);
  const order: T[] = [];
  const seen = new Set<T>();
  const visit = (block: T): void => {
    seen.add(block);
    for (const other of fromTop) if (!seen.has(other) && isBefore(other, block, blocks)) visit(other);
    order.push(block);
  };
  for (const block of fromTop) if (!seen.has(block)) visit(block);
  return order;
}

function isBefore(a: Placed, b: Placed, all: readonly Box[]): boolean {
  if (sharedWidth(a, b) > 0 || !(a.running || b.running)) return middle(a) < middle(b);
  if (a.x > b.x) return false;
  const [top, bottom] = [Math.min(middle(a), middle(b)), Math.max(middle(a), middle(b))];
  return !all.some(
    (c) =>
      c !== a &&
      c !== b &&
      middle(c) > top &&
      middle(c) < bottom &&
      sharedWidth(c, a) > 0 &&
      sharedWidth(c, b) > 0,
  );
}

/** Groups lines that are below each other like in a paragraph. */
function stacks<T>(lines: readonly Lying<T>[]): readonly (readonly Lying<T>[])[] {
  const below = new Map<Lying<T>, Lying<T>[]>();
  for (const line of lines) {
    const next = lines.filter((other) => follows(line, other));
    // A line above two others is a headline or part of a table.
    if (next.length === 1) below.set(line, next);
  }
  const above = new Map<Lying<T>, number>();
  for (const [next] of below.values()) above.set(next!, (above.get(next!) ?? 0) + 1);
  const found: Lying<T>[][] = [];
  for (const first of lines) {
    if (above.get(first) === 1) continue;
    const stack = [first];
    for (let next = below.get(first)?.[0]; next !== undefined && above.get(next) === 1;) {
      stack.push(next);
      next = below.get(next)?.[0];
    }
    found.push(stack);
  }
  return found;
}

function follows(line: Box, other: Box): boolean {
  const [small, large] = [Math.min(line.height, other.height), Math.max(line.height, other.height)];
  const down = middle(other) - middle(line);
  return (
    down > small / 2 &&
    down - large <= small * WIDEST_GAP &&
    large <= small * SAME_HEIGHT &&
    sharedWidth(line, other) >= LEAST_SHARED * Math.min(line.width, other.width)
  );
}

function isRunningText(lines: readonly Box[]): boolean {
  const long = lines.reduce((sum, { width, height }) => sum + width / height, 0) / lines.length;
  return lines.length >= LEAST_LINES && long >= LONG;
}

/** Returns rows from top to bottom, each from left to right. Lines that share half of the lower one's height form a row. */
function rows<T extends Box>(lines: readonly T[]): readonly (readonly T[])[] {
  const found: T[][] = [];
  for (const line of lines.toSorted((a, b) => middle(a) - middle(b))) {
    const row = found.at(-1);
    if (row !== undefined && sharesRow(row[0]!, line)) row.push(line);
    else found.push([line]);
  }
  return found.map((row) => row.toSorted((a, b) => a.x - b.x));
}

function sharesRow(a: Box, b: Box): boolean {
  const shared = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return shared * 2 >= Math.min(a.height, b.height);
}

function sharedWidth(a: Box, b: Box): number {
  return Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
}

function middle(box: Box): number {
  return box.y + box.height / 2;
}

/** Returns the box around at least one box. */
export function boxOf(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}
