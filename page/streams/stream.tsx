import { useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { useEvents } from '../kit/events.ts';
import { count, moment, words } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { Connection, Facts, Problem, Risky, Shown, Status } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { pipelineTitle } from '../new/goals.ts';
import { LivePicture } from './live-picture.tsx';
import { withLine, type LogLine } from './log.ts';
import {
  cameraName,
  isOver,
  type Reconnecting,
  type Segment,
  type StreamInfo,
  type TrackBegan,
  type TrackEnded,
  type Warned,
} from './types.ts';
import { TEXT } from '../kit/text.ts';

/** Time between two pictures: milliseconds. */
const PICTURE_MS = 500;

let keys = 0;

/** One camera: its newest picture with boxes, and what happens. */
export function StreamView({ id }: { readonly id: string }) {
  const path = `rest/streaming/jobs/${encodeURIComponent(id)}`;
  const info = useGet<StreamInfo>(path, { details: true });
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const log = (text: string, at = Date.now()) =>
    setLines((before) => withLine(before, { key: ++keys, at, text }));
  const over = info.value === undefined || isOver(info.value);
  const watching = useEvents(
    over ? undefined : `${path}/events`,
    {},
    {
      job: (data) => info.set(data as StreamInfo),
      trackBegan: (data) => log(describeStart(data as TrackBegan), (data as TrackBegan).at),
      trackEnded: (data) => log(TEXT.streams.trackEnds((data as TrackEnded).liveId), (data as TrackEnded).at),
      segment: (data) => log(segmentSentence(data as Segment), (data as Segment).at),
      reconnecting: (data) => {
        const { cause, at } = data as Reconnecting;
        log(TEXT.streams.connectingAgain(cause), at);
      },
      warning: (data) => log((data as Warned).message, (data as Warned).at),
      counts: (data) =>
        info.set((before) =>
          before === undefined
            ? before
            : { ...before, frames: (data as { counts: StreamInfo['frames'] }).counts },
        ),
    },
  );
  return (
    <Shown of={info} title={TEXT.streams.stream(id)}>
      {(stream) => (
        <>
          <header class="bar">
            <div>
              <a class="up" href={hrefOf(['streams'])}>
                <Icon name="back" size={16} /> {TEXT.common.live}
              </a>
              <h1>
                {cameraName(stream.streamUri)}{' '}
                <Status of={stream.jobStatus === 'IN_PROGRESS' ? 'LIVE' : stream.jobStatus} />
              </h1>
              <p class="hint">
                {TEXT.streams.pipelineAndStream(pipelineTitle(stream.pipelineName), stream.jobId)}
              </p>
            </div>
            <span class="actions">
              <StreamButtons stream={stream} path={path} />
            </span>
          </header>
          {!over && <Connection {...watching} />}
          {stream.jobStatusDetail !== null && <p>{stream.jobStatusDetail}</p>}
          <div class="beside">
            {!over && (
              <figure class="live">
                <LivePicture path={`${path}/frame.jpg`} everyMs={PICTURE_MS} />
              </figure>
            )}
            <section class="grow">
              <StreamFacts stream={stream} />
              {lines.length === 0 && !over && <p class="hint">{TEXT.streams.nothingHasHappenedYet}</p>}
              <ol class="log" reversed aria-label={TEXT.streams.whatHappens} aria-live="polite">
                {lines.map(({ key, at, text }) => (
                  <li key={key}>
                    <time>{moment(new Date(at).toISOString())}</time> {text}
                  </li>
                ))}
              </ol>
            </section>
          </div>
        </>
      )}
    </Shown>
  );
}

const describeStart = ({ liveId, trackType, confidence, properties }: TrackBegan) => {
  const sure = confidence >= 0 ? ` (${Math.round(confidence * 100)} %)` : '';
  const what = Object.values(properties).slice(0, 2).join(', ');
  return TEXT.streams.appearsTrack(what === '' ? words(trackType ?? TEXT.streams.track) : what, sure, liveId);
};

const segmentSentence = ({ segment, tracks, detections }: Segment) =>
  TEXT.streams.segmentTracksDetections(segment, count(tracks), count(detections));

/** Many cameras do not say how many frames a second they send. */
const pictureText = ({ width, height, fps }: NonNullable<StreamInfo['picture']>) =>
  `${width}×${height}${fps > 0 ? TEXT.streams.framesPerSecond(Number(fps.toFixed(2))) : ''}`;

function StreamFacts({ stream }: { readonly stream: StreamInfo }) {
  const { frames, picture, warnings = [] } = stream;
  return (
    <>
      <Facts
        of={[
          [TEXT.streams.camera, stream.streamUri],
          [TEXT.streams.picture, picture && pictureText(picture)],
          [TEXT.streams.frames, frames && count(frames.read)],
          [TEXT.streams.dropped, frames && count(frames.dropped)],
          [TEXT.streams.withoutMotion, frames && frames.skipped > 0 && count(frames.skipped)],
          [TEXT.streams.reconnects, frames && count(frames.reconnects)],
          [TEXT.streams.segments, String(stream.segments ?? 0)],
        ]}
      />
      {warnings.map((warning) => (
        <Problem key={warning}>{warning}</Problem>
      ))}
    </>
  );
}

function StreamButtons({ stream, path }: { readonly stream: StreamInfo; readonly path: string }) {
  if (isOver(stream))
    return (
      <Risky
        ask={TEXT.streams.deleteStreamWithItsReports(stream.jobId)}
        act={async () => {
          await send('DELETE', path);
          go(hrefOf(['streams']));
        }}
      >
        {TEXT.common.delete}
      </Risky>
    );
  return (
    <Risky
      ask={TEXT.streams.stopWatchingStream(stream.jobId)}
      act={() => send('POST', `${path}/cancel`, undefined, { doCleanup: false })}
    >
      {TEXT.common.stop}
    </Risky>
  );
}
