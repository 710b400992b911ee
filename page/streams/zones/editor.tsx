import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../kit/icons.tsx';
import { Problem } from '../../kit/parts.tsx';
import { TEXT } from '../../kit/text.ts';
import {
  addPoint,
  addShape,
  changeShape,
  chosenShape,
  movePoint,
  removePoint,
  removeShape,
  unfinishedShapes,
  type Draft,
  type Shape,
} from './draft.ts';
import { AlertFields } from './alert-fields.tsx';
import { ZoneOverlay } from './overlay.tsx';
import type { Point } from './types.ts';

/** Distance of one arrow key press, as a fraction of the picture. */
const STEP = 0.01;
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};
const MIDDLE: Point = [0.5, 0.5];

interface Props {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
}

/** Draws zones and lines on the picture: by clicks and drags, or by its buttons and the arrow keys. */
export function ZoneCanvas({ draft, change, children }: Props & { readonly children: ComponentChildren }) {
  const picture = useRef<HTMLDivElement>(null);
  const pointAt = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top, width, height } = picture.current!.getBoundingClientRect();
    return [(clientX - left) / width, (clientY - top) / height];
  };
  const shape = chosenShape(draft);
  return (
    <div
      class={shape === undefined ? 'zone-canvas' : 'zone-canvas drawing'}
      ref={picture}
      onClick={(event) => change(addPoint(draft, pointAt(event)))}
    >
      {children}
      <ZoneOverlay shapes={draft.shapes} chosen={draft.chosen} />
      {shape?.points.map((point, n) => (
        <Corner
          key={n}
          name={TEXT.streams.pointOf(n + 1, shape.name)}
          point={point}
          move={(to) => change(movePoint(draft, n, to))}
          remove={() => change(removePoint(draft, n))}
          pointAt={pointAt}
        />
      ))}
    </div>
  );
}

function Corner({
  name,
  point,
  move,
  remove,
  pointAt,
}: {
  readonly name: string;
  readonly point: Point;
  readonly move: (to: Point) => void;
  readonly remove: () => void;
  readonly pointAt: (event: MouseEvent) => Point;
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ARROWS[event.key];
    if (step === undefined && event.key !== 'Delete') return;
    event.preventDefault();
    if (step === undefined) remove();
    else move([point[0] + step[0], point[1] + step[1]]);
  };
  return (
    <button
      type="button"
      class="corner"
      aria-label={name}
      style={{ left: `${point[0] * 100}%`, top: `${point[1] * 100}%` }}
      onKeyDown={onKeyDown}
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) move(pointAt(event));
      }}
    />
  );
}

/** The list of zones and lines beside the picture. `save` restarts the camera. */
export function ZonePanel({
  draft,
  change,
  save,
  leave,
}: Props & { readonly save: () => Promise<void>; readonly leave: () => void }) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [unfinished] = unfinishedShapes(draft);
  const onSave = async () => {
    if (unfinished !== undefined) return setProblem(TEXT.streams.needsMorePoints(unfinished.name));
    setBusy(true);
    setProblem(undefined);
    await save().catch((error: unknown) => setProblem((error as Error).message));
    setBusy(false);
  };
  return (
    <section class="zone-panel" aria-label={TEXT.streams.zonesAndLines}>
      <p class="hint">{TEXT.streams.howToDraw}</p>
      <p class="buttons">
        <button type="button" onClick={() => change(addShape(draft, 'ZONE', TEXT.streams.zone))}>
          <Icon name="plus" size={16} /> {TEXT.streams.zone}
        </button>
        <button type="button" onClick={() => change(addShape(draft, 'LINE', TEXT.streams.line))}>
          <Icon name="plus" size={16} /> {TEXT.streams.line}
        </button>
      </p>
      {draft.shapes.map((shape, n) => (
        <ShapeCard key={n} shape={shape} place={n} draft={draft} change={change} />
      ))}
      {problem !== undefined && <Problem>{problem}</Problem>}
      <p class="hint">{TEXT.streams.whatSavingDoes}</p>
      <p class="buttons">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void onSave()}>
          {TEXT.streams.saveAndRestart}
        </button>
        <button type="button" onClick={leave}>
          {TEXT.jobs.cancel}
        </button>
      </p>
    </section>
  );
}

function ShapeCard({
  shape,
  place,
  draft,
  change,
}: Props & { readonly shape: Shape; readonly place: number }) {
  const isChosen = draft.chosen === place;
  const update = (what: Partial<Shape>) => change(changeShape({ ...draft, chosen: place }, place, what));
  return (
    <div
      class={isChosen ? 'shape chosen' : 'shape'}
      onFocusIn={() => !isChosen && change({ ...draft, chosen: place })}
    >
      <div class="line">
        <label class="grow">
          <span>{shape.kind === 'ZONE' ? TEXT.streams.zone : TEXT.streams.line}</span>
          <input
            type="text"
            value={shape.name}
            onChange={({ currentTarget }) => update({ name: currentTarget.value.trim() || shape.name })}
          />
        </label>
        <button type="button" onClick={() => change(addPoint({ ...draft, chosen: place }, MIDDLE))}>
          {TEXT.streams.addPoint}
        </button>
        <button
          type="button"
          class="quiet-button"
          aria-label={TEXT.common.remove(shape.name)}
          onClick={() => change(removeShape(draft, place))}
        >
          <Icon name="delete" size={16} />
        </button>
      </div>
      <AlertFields shape={shape} change={(alert) => update({ alert })} />
    </div>
  );
}
