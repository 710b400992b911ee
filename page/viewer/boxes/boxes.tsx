import { useEffect, useImperativeHandle, useRef } from 'preact/hooks';
import type { Ref } from 'preact';
import { OTHER_LANE } from '../compare.tsx';
import { HeatLayer } from './heat-layer.tsx';
import { boxAt, outlines, shownArea, type Turned } from '../../kit/findings/overlay.ts';
import { fits, type Box, type BoxHue, type Filter } from '../../kit/findings/types.ts';

export interface BoxesHandle {
  /** Draws the boxes of a frame at once. If they are undefined (not known yet), no boxes are shown. */
  draw(frame: number, boxes: readonly Box[] | undefined): void;
}

/** Maximum number of boxes with labels. More labels would be unreadable. */
const MOST_LABELS = 40;
const SVG = 'http://www.w3.org/2000/svg';

/**
 * The boxes over a picture. They are drawn together with their frame, by the callback of the player, not by the next rendering of the page.
 * `turned`: orientation of the stored picture, in whose pixels the boxes are.
 */
export function Boxes({
  turned,
  filter,
  hue,
  selected,
  select,
  handle,
}: {
  readonly turned: Turned;
  readonly filter: Filter;
  readonly hue: BoxHue;
  readonly selected: number | undefined;
  readonly select: (track: number | undefined) => void;
  readonly handle: Ref<BoxesHandle>;
}) {
  const svg = useRef<SVGSVGElement>(null);
  const group = useRef<SVGGElement>(null);
  const labels = useRef<SVGGElement>(null);
  const drawn = useRef<readonly Box[]>([]);
  const letter = useRef(0);
  const drawLabels = () =>
    labels.current?.replaceChildren(...labelsOf(drawn.current, { turned, hue, letter: letter.current }));
  const redraw = useRef(drawLabels);
  redraw.current = drawLabels;
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      // The element may have been removed.
      if (svg.current === null) return;
      letter.current = letterIn(svg.current, turned);
      redraw.current();
    });
    observer.observe(svg.current!);
    return () => observer.disconnect();
  }, [turned]);
  useImperativeHandle(
    handle,
    () => ({
      draw(frame, boxes) {
        drawn.current = (boxes ?? []).filter((box) => fits(box, filter));
        if (group.current === null || svg.current === null) return;
        group.current.replaceChildren(...shapes(drawn.current, selected, hue));
        drawLabels();
        svg.current.dataset['frame'] = String(frame);
        svg.current.dataset['known'] = String(boxes !== undefined);
      },
    }),
    [filter, selected, turned, hue],
  );
  const onClick = (event: MouseEvent) => {
    const matrix = group.current?.getScreenCTM();
    if (matrix === null || matrix === undefined) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const own = drawn.current.filter(({ lane }) => lane !== OTHER_LANE);
    select(boxAt(own, x, y)?.track);
  };
  return (
    <svg
      ref={svg}
      class="boxes"
      // If pixels are not square, the player shows other proportions than the stored ones.
      preserveAspectRatio="none"
      viewBox={`0 0 ${turned.width} ${turned.height}`}
      onClick={onClick}
      aria-hidden="true"
    >
      <HeatLayer transform={turned.transform} />
      <g ref={group} transform={turned.transform} />
      {/* Not turned with the picture, so that the text stays readable. */}
      <g ref={labels} />
    </svg>
  );
}

/** Returns one path per colour, however many boxes there are. */
function shapes(boxes: readonly Box[], selected: number | undefined, hue: BoxHue): readonly SVGElement[] {
  const hues = new Map<string, Box[]>();
  for (const box of boxes) {
    const name = hue(box);
    const others = hues.get(name);
    if (others === undefined) hues.set(name, [box]);
    else others.push(box);
  }
  const paths = [...hues].map(([name, some]) => outline(some, name));
  const chosen = boxes.filter(({ track }) => track === selected);
  if (chosen.length > 0) paths.push(outline(chosen, 'selected'));
  return paths;
}

/** Returns the height of a letter of the page in pixels of the picture. */
const letterIn = (svg: SVGSVGElement, { height }: Turned): number =>
  (parseFloat(getComputedStyle(document.documentElement).fontSize) * height) / Math.max(1, svg.clientHeight);

interface Labelling {
  readonly turned: Turned;
  readonly hue: BoxHue;
  /** 0 if the shown size of the picture is not known yet. */
  readonly letter: number;
}

/** Returns the labels of the largest boxes. A label that would cover another one is omitted. */
function labelsOf(boxes: readonly Box[], { turned, hue, letter }: Labelling): readonly SVGElement[] {
  if (boxes.length > MOST_LABELS) return [];
  const placed: PlacedLabel[] = [];
  for (const box of boxes.toSorted((a, b) => b.width * b.height - a.width * a.height)) {
    const next = placeLabel(box, turned, letter);
    if (!placed.some((other) => overlap(other, next))) placed.push({ ...next, hue: hue(box) });
  }
  return placed.map(labelOf);
}

interface PlacedLabel {
  readonly text: string;
  readonly left: number;
  readonly baseline: number;
  readonly width: number;
  readonly size: number;
  readonly hue: string;
}

/** True if the backgrounds of two labels overlap. A background is larger than its text. */
const overlap = (a: Omit<PlacedLabel, 'hue'>, b: Omit<PlacedLabel, 'hue'>) => {
  const [wide, high] = [WIDER * a.size, HIGHER * a.size];
  return (
    a.left < b.left + b.width + wide &&
    b.left < a.left + a.width + wide &&
    Math.abs(a.baseline - b.baseline) < high
  );
};

function outline(boxes: readonly Box[], of: string): SVGElement {
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', outlines(boxes));
  path.setAttribute('class', of);
  return path;
}

/** Size of the background of a label relative to its text: additional width, and height. */
const [WIDER, HIGHER] = [0.4, 1.4];

/** The shorter side of the picture divided by the height of a label. */
const LABEL_PART = 40;

/** Approximate width of a letter relative to the height of the text. */
const LETTER = 0.62;

/** Minimum and maximum size of a label relative to a letter of the page. */
const [SMALL, LARGE] = [0.75, 1.2];

/** Places a label above its box. In the right part of the picture, the label ends with the box, so that it is not cut off. */
function placeLabel(box: Box, { width, height, matrix }: Turned, letter: number): Omit<PlacedLabel, 'hue'> {
  const { label: what, confidence } = box;
  const part = Math.min(width, height) / LABEL_PART;
  const size = letter === 0 ? part : Math.max(SMALL * letter, Math.min(LARGE * letter, part));
  const sure = confidence >= 0 ? `${Math.round(confidence * 100)} %` : '';
  const text = [what === null ? '' : what.slice(0, 40), sure].filter((part) => part !== '').join(' ');
  const { left, top, right } = shownArea(box, matrix);
  const textWidth = text.length * size * LETTER;
  return {
    ...{ text, size, width: textWidth },
    left: left > width * 0.6 ? right - textWidth : left,
    baseline: Math.max(size * 1.2, top - size * 0.45),
  };
}

function labelOf({ text, left, baseline, width, size, hue }: PlacedLabel): SVGElement {
  const group = document.createElementNS(SVG, 'g');
  group.setAttribute('class', hue);
  const ground = document.createElementNS(SVG, 'rect');
  const numbers = { x: left, y: baseline - size * 1.05, width: width + size * WIDER, height: size * HIGHER };
  for (const [name, value] of Object.entries({ ...numbers, rx: size * 0.25 }))
    ground.setAttribute(name, String(value));
  const words = document.createElementNS(SVG, 'text');
  words.textContent = text;
  words.setAttribute('x', String(left + size * 0.2));
  words.setAttribute('y', String(baseline));
  words.setAttribute('font-size', String(size));
  words.setAttribute('textLength', String(width));
  words.setAttribute('lengthAdjust', 'spacingAndGlyphs');
  group.append(ground, words);
  return group;
}
