import { useEffect, useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { bytes } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import type { ChosenMedium } from './request.ts';
import { forgetUploadId, unfinishedUploads, type UnfinishedUpload } from './unfinished-uploads.ts';
import { findUpload } from './upload.ts';
import { TEXT } from '../kit/text.ts';

/** The progress of an upload, with a button that pauses and resumes it. */
export function UploadProgress({
  of: { name, sent = 0, bytes: size = 0, upload },
  pause,
  resume,
}: {
  readonly of: ChosenMedium;
  readonly pause: () => void;
  readonly resume: () => void;
}) {
  const isPaused = upload === 'paused';
  const percent = size === 0 ? 0 : Math.floor((100 * sent) / size);
  return (
    <span class="uploading">
      <progress max={size} value={sent} aria-label={TEXT.new.uploadOf(name)} />
      <small aria-live={upload === 'interrupted' ? 'polite' : 'off'}>{textOf(upload, percent)}</small>
      <button
        type="button"
        class="quiet-button"
        aria-label={TEXT.new.theUploadOf(isPaused ? TEXT.common.resume : TEXT.common.pause, name)}
        title={isPaused ? TEXT.common.resume : TEXT.common.pause}
        onClick={isPaused ? resume : pause}
      >
        <Icon name={isPaused ? 'play' : 'pause'} size={16} />
      </button>
    </span>
  );
}

function textOf(upload: ChosenMedium['upload'], percent: number): string {
  if (upload === 'interrupted') return TEXT.new.noConnectionItIsTried(percent);
  if (upload === 'paused') return TEXT.new.paused(percent);
  return upload === 'waiting' && percent === 0 ? TEXT.common.waiting : `${percent} %`;
}

/** Earlier uploads that are not finished. Choosing the same file again resumes its upload. `chosen`: names that are already listed. */
export function UnfinishedUploads({ chosen }: { readonly chosen: readonly string[] }) {
  const [known, setKnown] = useState<readonly UnfinishedUpload[]>([]);
  useEffect(() => {
    const gone = new AbortController();
    void stillThere(gone.signal).then((uploads) => {
      if (!gone.signal.aborted) setKnown(uploads);
    });
    return () => gone.abort();
  }, []);
  const shown = known.filter(({ name }) => !chosen.includes(name));
  if (shown.length === 0) return null;
  const remove = async ({ id }: UnfinishedUpload) => {
    forgetUploadId(id);
    setKnown((before) => before.filter((one) => one.id !== id));
    await send('DELETE', `rest/media/${encodeURIComponent(id)}`).catch(() => undefined);
  };
  return (
    <section class="unfinished">
      <h3>{TEXT.new.notFinished}</h3>
      <p class="hint">{TEXT.new.chooseTheSameFileAgain}</p>
      <ul class="chosen">
        {shown.map((one) => (
          <li key={one.id}>
            <span class="grow">
              {one.name} <small>{TEXT.new.ofSent(bytes(one.received), bytes(one.bytes))}</small>
            </span>
            <button
              type="button"
              class="quiet-button"
              aria-label={TEXT.new.discardTheUploadOf(one.name)}
              title={TEXT.new.discard}
              onClick={() => void remove(one)}
            >
              <Icon name="close" size={16} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the uploads that the server still has, or may have if it does not answer. The others are forgotten. */
async function stillThere(signal: AbortSignal): Promise<readonly UnfinishedUpload[]> {
  const found = await Promise.all(
    unfinishedUploads().map(async (one) => {
      const state = await findUpload(one.id, signal).catch(() => null);
      if (state === undefined) forgetUploadId(one.id);
      return state === undefined ? [] : [state === null ? one : { ...one, received: state.received }];
    }),
  );
  return found.flat();
}
