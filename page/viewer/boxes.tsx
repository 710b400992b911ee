import { useImperativeHandle, useRef } from 'preact/hooks';
import type { Ref } from 'preact';
import { boxAt, outlines, shownArea, type Turned } from './overlay.ts';
import { colourOf, fits, type Box, type Filter } from './types.ts';

export interface BoxesHandle {
  /** Draws the boxes of a frame at once; undefined: they are not known yet, and none are shown. */
  draw(frame: number, boxes: readonly Box[] | undefined): void;
}

/** Boxes with a label each are no longer read when there are more. */
const MOST_LABELS = 40;
const SVG = 'http://www.w3.org/2000/svg';

/**
 * The boxes over a picture. They are drawn when their frame is: by the callback of the player, not when the page next finds time. `turned`:
 * how the stored picture, in whose pixels the boxes are, is shown.
 */
export function Boxes({
  turned,
  filter,
  selected,
  select,
  handle,
}: {
  readonly turned: Turned;
  readonly filter: Filter;
  readonly selected: number | undefined;
  readonly select: (track: number | undefined) => void;
  readonly handle: Ref<BoxesHandle>;
}) {
  const svg = useRef<SVGSVGElement>(null);
  const group = useRef<SVGGElement>(null);
  const labels = useRef<SVGGElement>(null);
  const drawn = useRef<readonly Box[]>([]);
  useImperativeHandle(
    handle,
    () => ({
      draw(frame, boxes) {
        drawn.current = (boxes ?? []).filter((box) => fits(box, filter));
        if (group.current === null || svg.current === null) return;
        group.current.replaceChildren(...shapes(drawn.current, selected));
        labels.current?.replaceChildren(...labelsOf(drawn.current, turned));
        svg.current.dataset['frame'] = String(frame);
        svg.current.dataset['known'] = String(boxes !== undefined);
      },
    }),
    [filter, selected, turned],
  );
  const onClick = (event: MouseEvent) => {
    const matrix = group.current?.getScreenCTM();
    if (matrix === null || matrix === undefined) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    select(boxAt(drawn.current, x, y)?.track);
  };
  return (
    <svg
      ref={svg}
      class="boxes"
      // Of pixels that are no squares the player shows another proportion than the stored one.
      preserveAspectRatio="none"
      viewBox={`0 0 ${turned.width} ${turned.height}`}
      onClick={onClick}
      aria-hidden="true"
    >
      <g ref={group} transform={turned.transform} />
      {/* Not turned with the picture: they are to be read. */}
      <g ref={labels} />
    </svg>
  );
}

function shapes(boxes: readonly Box[], selected: number | undefined): readonly SVGElement[] {
  const lanes = new Map<number, Box[]>();
  for (const box of boxes) {
    const others = lanes.get(box.lane);
    if (others === undefined) lanes.set(box.lane, [box]);
    else others.push(box);
  }
  const paths = [...lanes].map(([lane, ofLane]) => outline(ofLane, colourOf(lane)));
  const chosen = boxes.filter(({ track }) => track === selected);
  if (chosen.length > 0) paths.push(outline(chosen, 'selected'));
  return paths;
}

const labelsOf = (boxes: readonly Box[], turned: Turned): readonly SVGElement[] =>
  boxes.length <= MOST_LABELS ? boxes.map((box) => label(box, turned)) : [];

function outline(boxes: readonly Box[], of: string): SVGElement {
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', outlines(boxes));
  path.setAttribute('class', of);
  return path;
}

/** As high as a thirtieth of the picture. */
const LABEL_PART = 30;

/** Above its box; one that begins in the right part of the picture ends with it, so that it is not cut off. */
function label(box: Box, { width, height, matrix }: Turned): SVGElement {
  const { lane, label: what, confidence } = box;
  const text = document.createElementNS(SVG, 'text');
  const size = Math.max(8, Math.min(width, height) / LABEL_PART);
  const sure = confidence >= 0 ? ` ${Math.round(confidence * 100)} %` : '';
  const { left, top, right } = shownArea(box, matrix);
  const endsWithBox = left > width * 0.6;
  text.textContent = `${what === null ? '' : what.slice(0, 40)}${sure}`;
  text.setAttribute('x', String(endsWithBox ? right : left));
  text.setAttribute('text-anchor', endsWithBox ? 'end' : 'start');
  text.setAttribute('y', String(Math.max(size, top - size / 3)));
  text.setAttribute('font-size', String(size));
  text.setAttribute('class', colourOf(lane));
  return text;
}
