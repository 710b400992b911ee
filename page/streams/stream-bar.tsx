/** Actions on the cameras that are selected on the wall. */
import { get, send } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { BarButton, SelectionBar } from '../kit/selection/bar.tsx';
import { useBulk } from '../kit/selection/bulk.tsx';
import type { Selection } from '../kit/selection/use-selection.ts';
import { TEXT } from '../kit/text.ts';
import { cameraName, isOver, type StreamInfo } from './types.ts';

export function StreamBar({
  of: selection,
  infos,
  onEnd,
}: {
  readonly of: Selection;
  readonly infos: readonly StreamInfo[];
  readonly onEnd: () => void;
}) {
  const nameOf = ({ jobId, streamUri }: StreamInfo) =>
    TEXT.streams.cameraOfStream(cameraName(streamUri), jobId);
  const { run, isBusy, outcome, dismiss } = useBulk({ nameOf, one: TEXT.streams.cameraInSentence }, onEnd);
  const chosen = infos.filter(({ jobId }) => selection.has(String(jobId)));
  const live = chosen.filter((info) => !isOver(info));
  const cameras = (some: readonly StreamInfo[]) => countText(some.length, TEXT.streams.cameraInSentence);
  return (
    <SelectionBar
      of={selection}
      label={TEXT.streams.selectedCameras}
      text={TEXT.kit.selected(cameras(chosen))}
      {...{ outcome, dismiss }}
    >
      <BarButton
        icon="stop"
        text={TEXT.common.stop}
        isDisabled={isBusy || live.length === 0}
        act={() => run({ ask: TEXT.streams.stopCameras(cameras(live)), act: stopStream }, live)}
      />
      <BarButton
        icon="again"
        text={TEXT.streams.restart}
        isDisabled={isBusy}
        act={() => run({ ask: TEXT.streams.restartCameras(cameras(chosen)), act: restartStream }, chosen)}
      />
      <BarButton
        icon="delete"
        text={TEXT.common.delete}
        isDisabled={isBusy}
        act={() =>
          run({ ask: TEXT.streams.deleteCameras(cameras(chosen), live.length), act: deleteStream }, chosen)
        }
      />
    </SelectionBar>
  );
}

const pathOf = ({ jobId }: StreamInfo) => `rest/streaming/jobs/${jobId}`;

const stopStream = (stream: StreamInfo) =>
  send('POST', `${pathOf(stream)}/cancel`, undefined, { doCleanup: false });

/** Restarts a stream. A new stream with the same request replaces it. */
const restartStream = (stream: StreamInfo) => send('POST', `${pathOf(stream)}/restart`, {});

/** Maximum number of checks if a stream has ended, and milliseconds between two. */
const [LOOKS, LOOK_MS] = [60, 300];

/** Deletes a stream. A live stream is stopped first. */
async function deleteStream(stream: StreamInfo): Promise<void> {
  let now = await get<StreamInfo>(pathOf(stream));
  if (!isOver(now) && now.jobStatus !== 'CANCELLING') await stopStream(stream);
  for (let n = 0; n < LOOKS && !isOver(now); n++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    now = await get<StreamInfo>(pathOf(stream));
  }
  await send('DELETE', pathOf(stream));
}
