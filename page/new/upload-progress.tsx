import { useEffect, useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { bytes } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import type { ChosenMedium } from './request.ts';
import { forgetUploadId, unfinishedUploads, type UnfinishedUpload } from './unfinished-uploads.ts';
import { findUpload } from './upload.ts';

/** How far the upload of a file is, with a button that pauses and resumes it. */
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
      <progress max={size} value={sent} aria-label={`Upload of ${name}`} />
      <small aria-live={upload === 'interrupted' ? 'polite' : 'off'}>{textOf(upload, percent)}</small>
      <button
        type="button"
        class="quiet-button"
        aria-label={`${isPaused ? 'Resume' : 'Pause'} the upload of ${name}`}
        title={isPaused ? 'Resume' : 'Pause'}
        onClick={isPaused ? resume : pause}
      >
        <Icon name={isPaused ? 'play' : 'pause'} size={16} />
      </button>
    </span>
  );
}

function textOf(upload: ChosenMedium['upload'], percent: number): string {
  if (upload === 'interrupted') return `${percent} %, no connection. It is tried again.`;
  if (upload === 'paused') return `${percent} %, paused`;
  return upload === 'waiting' && percent === 0 ? 'Waiting' : `${percent} %`;
}

/** Uploads of before that are not finished: the same file continues where its upload has ended. `chosen`: names that are listed already. */
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
      <h3>Not finished</h3>
      <p class="hint">Choose the same file again, and its upload continues.</p>
      <ul class="chosen">
        {shown.map((one) => (
          <li key={one.id}>
            <span class="grow">
              {one.name}{' '}
              <small>
                {bytes(one.received)} of {bytes(one.bytes)} sent
              </small>
            </span>
            <button
              type="button"
              class="quiet-button"
              aria-label={`Discard the upload of ${one.name}`}
              title="Discard"
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

/** Those that the server still has; the others are forgotten. */
async function stillThere(signal: AbortSignal): Promise<readonly UnfinishedUpload[]> {
  const found = await Promise.all(
    unfinishedUploads().map(async (one) => {
      const state = await findUpload(one.id, signal).catch(() => null);
      if (state === undefined) forgetUploadId(one.id);
      return state === undefined || state === null ? [] : [{ ...one, received: state.received }];
    }),
  );
  return found.flat();
}
