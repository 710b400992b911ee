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
      trackEnded: (data) => log(`Track ${(data as TrackEnded).liveId} ends.`, (data as TrackEnded).at),
      segment: (data) => log(segmentSentence(data as Segment), (data as Segment).at),
      reconnecting: (data) => {
        const { cause, at } = data as Reconnecting;
        log(`Connecting again: ${cause}`, at);
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
    <Shown of={info} title={`Stream ${id}`}>
      {(stream) => (
        <>
          <header class="bar">
            <div>
              <a class="up" href={hrefOf(['streams'])}>
                <Icon name="back" size={16} /> Live
              </a>
              <h1>
                {cameraName(stream.streamUri)}{' '}
                <Status of={stream.jobStatus === 'IN_PROGRESS' ? 'LIVE' : stream.jobStatus} />
              </h1>
              <p class="hint">
                {pipelineTitle(stream.pipelineName)} · stream {stream.jobId}
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
              {lines.length === 0 && !over && <p class="hint">Nothing has happened yet.</p>}
              <ol class="log" reversed aria-label="What happens" aria-live="polite">
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
  return `${what === '' ? words(trackType ?? 'Track') : what} appears${sure}, track ${liveId}.`;
};

const segmentSentence = ({ segment, tracks, detections }: Segment) =>
  `Segment ${segment}: ${count(tracks)} tracks, ${count(detections)} detections.`;

/** Many cameras do not say how many frames a second they send. */
const pictureText = ({ width, height, fps }: NonNullable<StreamInfo['picture']>) =>
  `${width}×${height}${fps > 0 ? `, ${Number(fps.toFixed(2))} frames per second` : ''}`;

function StreamFacts({ stream }: { readonly stream: StreamInfo }) {
  const { frames, picture, warnings = [] } = stream;
  return (
    <>
      <Facts
        of={[
          ['Camera', stream.streamUri],
          ['Picture', picture && pictureText(picture)],
          ['Frames', frames && count(frames.read)],
          ['Dropped', frames && count(frames.dropped)],
          ['Without motion', frames && frames.skipped > 0 && count(frames.skipped)],
          ['Reconnects', frames && count(frames.reconnects)],
          ['Segments', String(stream.segments ?? 0)],
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
        ask={`Delete stream ${stream.jobId} with its reports?`}
        act={async () => {
          await send('DELETE', path);
          go(hrefOf(['streams']));
        }}
      >
        Delete
      </Risky>
    );
  return (
    <Risky
      ask={`Stop watching stream ${stream.jobId}?`}
      act={() => send('POST', `${path}/cancel`, undefined, { doCleanup: false })}
    >
      Stop
    </Risky>
  );
}
