import { send } from '../kit/api.ts';
import { count } from '../kit/format.ts';
import { Facts, Problem, Risky } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import { isOver, type StreamInfo } from './types.ts';

/** Returns size and frame rate. Many cameras do not report their frame rate. */
const pictureText = ({ width, height, fps }: NonNullable<StreamInfo['picture']>) =>
  `${width}×${height}${fps > 0 ? TEXT.streams.framesPerSecond(Number(fps.toFixed(2))) : ''}`;

/** The known facts about a camera. */
export function StreamFacts({ stream }: { readonly stream: StreamInfo }) {
  const { frames, picture, warnings = [] } = stream;
  return (
    <>
      <details class="stream-facts">
        <summary>{TEXT.common.details}</summary>
        <Facts
          of={[
            [TEXT.common.pipeline, stream.pipelineName],
            [TEXT.streams.camera, stream.streamUri],
            [TEXT.streams.picture, picture && pictureText(picture)],
            [TEXT.streams.frames, frames && count(frames.read)],
            [TEXT.streams.dropped, frames && count(frames.dropped)],
            [TEXT.streams.withoutMotion, frames && frames.skipped > 0 && count(frames.skipped)],
            [TEXT.streams.reconnects, frames && count(frames.reconnects)],
            [TEXT.streams.segments, String(stream.segments ?? 0)],
          ]}
        />
      </details>
      {warnings.map((warning) => (
        <Problem key={warning}>{warning}</Problem>
      ))}
    </>
  );
}

export function StreamButtons({ stream, path }: { readonly stream: StreamInfo; readonly path: string }) {
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
