import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { hueOf, trackHue } from '../../kit/colours.ts';
import { countText, duration, fileName } from '../../kit/format.ts';
import { Icon } from '../../kit/icons.tsx';
import { useGet } from '../../kit/load.ts';
import { Problem } from '../../kit/parts.tsx';
import { findingName, findingText } from '../../library/labels.ts';
import { MediumPicture, thumbnailUrl } from '../../library/tile.tsx';
import type { LibraryMedium, LibraryPage } from '../../library/types.ts';
import { Boxes, type BoxesHandle } from '../../viewer/boxes/boxes.tsx';
import { nameOfTrack, type BoxHue, type Filter } from '../../kit/findings/types.ts';
import type { PipelineDraft } from './draft.ts';
import { runTrial, type TrialResult, type TrialSource } from './run-trial.ts';
import { TEXT } from '../../kit/text.ts';

/** Maximum number of media offered. */
const OFFERED = 12;

/** A trial of the draft on one frame, with the findings drawn. */
export function Trial({ draft }: { readonly draft: PipelineDraft }) {
  const [source, setSource] = useState<TrialSource>();
  const { result, phase, problem, start, stop } = useTrial(draft, source);
  return (
    <section class="trial">
      <h2>{TEXT.pipelines.tryOnOneFrame}</h2>
      <TrialSources source={source} choose={setSource} />
      <p class="buttons">
        <button
          type="button"
          class="primary"
          disabled={source === undefined || phase !== undefined}
          onClick={() => void start()}
        >
          {TEXT.pipelines.tryIt}
        </button>
        {phase !== undefined && (
          <button type="button" onClick={stop}>
            {TEXT.common.stop}
          </button>
        )}
        <span class="hint" role="status">
          {phase ?? (source === undefined ? TEXT.pipelines.chooseAPicture : '')}
        </span>
      </p>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {result !== undefined && <Result of={result} />}
    </section>
  );
}

function useTrial(draft: PipelineDraft, source: TrialSource | undefined) {
  const [result, setResult] = useState<TrialResult>();
  const [phase, setPhase] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, []);
  useEffect(() => () => URL.revokeObjectURL(result?.picture?.url ?? ''), [result]);
  const start = async () => {
    if (source === undefined) return;
    const trial = new AbortController();
    running.current = trial;
    setResult(undefined);
    setProblem(undefined);
    try {
      setResult(await runTrial(draft, source, setPhase, trial.signal));
    } catch (error) {
      if (!trial.signal.aborted) setProblem((error as Error).message);
    }
    setPhase(undefined);
  };
  return { result, phase, problem, start, stop };
}

/** The choice of a file, or of a medium in the library and its frame. */
function TrialSources({
  source,
  choose,
}: {
  readonly source: TrialSource | undefined;
  readonly choose: (source: TrialSource) => void;
}) {
  const library = useGet<LibraryPage>('rest/library', { limit: 60 });
  const media = (library.value?.media ?? [])
    .filter(({ mediaType }) => mediaType === 'IMAGE' || mediaType === 'VIDEO')
    .slice(0, OFFERED);
  const medium = source?.kind === 'frame' ? source.medium : undefined;
  return (
    <>
      <div class="trial-media" role="group" aria-label={TEXT.pipelines.picturesToTryItOn}>
        <label class={source?.kind === 'file' ? 'trial-file chosen-medium' : 'trial-file'}>
          <Icon name="upload" size={22} />
          <span>{source?.kind === 'file' ? source.file.name : TEXT.pipelines.ownPicture}</span>
          <input
            class="unseen"
            type="file"
            onChange={({ currentTarget: { files } }) => {
              if (files?.[0] !== undefined) choose({ kind: 'file', file: files[0] });
            }}
          />
        </label>
        {media.map((one) => (
          <button
            key={`${one.jobId} ${one.mediaId}`}
            type="button"
            class="trial-medium"
            aria-pressed={isSame(one, medium)}
            title={fileName(one.mediaUri)}
            onClick={() => choose({ kind: 'frame', medium: one, frame: one.frame ?? 0 })}
          >
            <span class="thumbnail">
              <MediumPicture medium={{ ...one, boxes: [] }} />
            </span>
            <span class="unseen">{fileName(one.mediaUri)}</span>
          </button>
        ))}
      </div>
      {source?.kind === 'frame' && source.medium.mediaType === 'VIDEO' && (
        <FrameChoice of={source} choose={choose} />
      )}
    </>
  );
}

const isSame = (one: LibraryMedium, other: LibraryMedium | undefined) =>
  one.jobId === other?.jobId && one.mediaId === other.mediaId;

function FrameChoice({
  of: { medium, frame },
  choose,
}: {
  readonly of: Extract<TrialSource, { readonly kind: 'frame' }>;
  readonly choose: (source: TrialSource) => void;
}) {
  const last = Math.max(0, (medium.length ?? 1) - 1);
  const onInput = ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) =>
    choose({ kind: 'frame', medium, frame: Math.max(0, Math.min(Math.round(Number(value)), last)) });
  return (
    <div class="trial-frame">
      <img src={thumbnailUrl(medium, frame)} alt={TEXT.pipelines.frameOf(frame, fileName(medium.mediaUri))} />
      <label class="grow">
        <span>{TEXT.pipelines.frame}</span>
        <input type="range" min={0} max={last} value={frame} onInput={onInput} />
      </label>
      <label>
        <span class="unseen">{TEXT.pipelines.numberOfTheFrame}</span>
        <input type="number" min={0} max={last} value={frame} onInput={onInput} />
      </label>
    </div>
  );
}

const ALL: Filter = { hidden: new Set(), minConfidence: Number.NEGATIVE_INFINITY, text: '' };

function Result({ of: { picture, lanes, tracks, total, issues, tookMs } }: { readonly of: TrialResult }) {
  const counts = lanes.map(({ type, tracks: some }) => findingText({ type, class: null, tracks: some }));
  const hue: BoxHue = (box) => trackHue(nameOfTrack(lanes, box), box.track);
  return (
    <div class="trial-result">
      {picture !== undefined && <DrawnFrame of={picture} hue={hue} />}
      <div class="grow">
        <p role="status">
          {total === 0 ? TEXT.common.nothingWasFound : TEXT.pipelines.found(counts.join(', '))}{' '}
          {TEXT.pipelines.in(duration(tookMs))}
        </p>
        {issues.map((issue) => (
          <Problem key={issue}>{issue}</Problem>
        ))}
        <ul class="trial-found">
          {tracks.slice(0, LISTED).map((track) => (
            <li key={track.id}>
              <span class={`dot ${hueOf(nameOfTrack(lanes, track))}`} />
              {track.label ?? findingName({ type: nameOfTrack(lanes, track), class: null })}
              {track.confidence >= 0 && <small>{Math.round(track.confidence * 100)} %</small>}
            </li>
          ))}
        </ul>
        {total > LISTED && (
          <p class="hint">{TEXT.common.and(countText(total - LISTED, TEXT.common.more, TEXT.common.more))}</p>
        )}
      </div>
    </div>
  );
}
const LISTED = 30;

function DrawnFrame({
  of: { url, turned, frame, boxes },
  hue,
}: {
  readonly of: NonNullable<TrialResult['picture']>;
  readonly hue: BoxHue;
}) {
  const handle = useRef<BoxesHandle>(null);
  useEffect(() => handle.current?.draw(frame, boxes), [boxes]);
  return (
    <div class="screen" style={{ '--ratio': String(turned.width / turned.height) }}>
      <div class="picture">
        <img src={url} alt={TEXT.pipelines.theFrameWithWhatWas} />
        <Boxes
          turned={turned}
          filter={ALL}
          hue={hue}
          selected={undefined}
          select={() => undefined}
          handle={handle}
        />
      </div>
    </div>
  );
}
