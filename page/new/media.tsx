import { useEffect, useMemo, useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { bytes, fileName } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { OneField, Problem } from '../kit/parts.tsx';
import { filesOf } from './dropped-files.ts';
import { kindOf } from './goals.ts';
import type { Given } from './open-analysis.ts';
import type { ChosenMedium } from './request.ts';
import { UploadProgress, UnfinishedUploads } from './upload-progress.tsx';
import { UploadQueue } from './upload-queue.ts';
import { TEXT } from '../kit/text.ts';

type Change = (change: (media: readonly ChosenMedium[]) => readonly ChosenMedium[]) => void;

let keys = 0;

/** The media of an analysis: dropped or chosen files and folders, and typed addresses. */
export function MediaChoice({
  media,
  change,
  given,
}: {
  readonly media: readonly ChosenMedium[];
  readonly change: Change;
  /** Media that were chosen before this component was shown. */
  readonly given: Given;
}) {
  const { add, queue } = useUploads(change);
  useEffect(() => {
    const { files = [], links = [] } = given;
    if (files.length > 0) add(files);
    if (links.length > 0) void addLinks(links, change);
  }, [given]);
  const [over, setOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    event.stopPropagation();
    void filesOf(event.dataTransfer).then(add);
  };
  return (
    <section class="media-choice">
      <div
        class={over ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Icon name="upload" size={28} />
        <p>{TEXT.new.dropFilesOrFoldersHere}</p>
        <FileButton text={TEXT.common.chooseFiles} add={add} />
        <FileButton text={TEXT.new.chooseAFolder} add={add} isFolder />
      </div>
      <ByAddress change={change} />
      <UnfinishedUploads chosen={media.map(({ name }) => name)} />
      {media.length > 0 && (
        <ul class="chosen">
          {media.map((medium) => (
            <Chosen key={medium.key} medium={medium} change={change} queue={queue} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FileButton({
  text,
  add,
  isFolder = false,
}: {
  readonly text: string;
  readonly add: (files: readonly File[]) => void;
  readonly isFolder?: boolean;
}) {
  return (
    <label class="button">
      {text}
      <input
        class="unseen"
        type="file"
        multiple
        {...(isFolder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </label>
  );
}

/** Types of files that are no videos, so that no part can be selected. */
const WITHOUT_PARTS =
  /^(audio|text)\/|^image\/(jpeg|png|bmp|tiff|heic)$|^application\/(pdf|json|vnd\.(openxml|oasis))/;

const toChosen = (name: string, type?: string): ChosenMedium => ({
  ...{ key: ++keys, name, uri: undefined, from: '', to: '' },
  kind: kindOf(name, type),
});

const alterMedium = (change: Change, key: number, what: Partial<ChosenMedium>) =>
  change((media) => media.map((one) => (one.key === key ? { ...one, ...what } : one)));

/** The files that are being uploaded. */
interface Uploads {
  add(files: readonly File[]): void;
  readonly queue: UploadQueue;
}

/** Uploads files one after the other. The remaining uploads stop when the reader leaves the view. */
function useUploads(change: Change): Uploads {
  const queue = useMemo(() => new UploadQueue(), []);
  useEffect(() => () => queue.close(), []);
  const sendOne = (file: File, { key }: ChosenMedium) =>
    queue.add(key, file, {
      onProgress: ({ sent, isInterrupted }) =>
        alterMedium(change, key, { sent, upload: isInterrupted ? 'interrupted' : 'sending' }),
      onDone: ({ mediaUri }) => alterMedium(change, key, { uri: mediaUri, sent: file.size }),
      onRefused: (problem) => alterMedium(change, key, { problem }),
    });
  const add = (files: readonly File[]) => {
    const added = files.map((file) => ({
      file,
      medium: {
        ...toChosen(file.name, file.type),
        bytes: file.size,
        sent: 0,
        upload: 'waiting' as const,
        hasParts: !WITHOUT_PARTS.test(file.type),
      },
    }));
    change((media) => [...media, ...added.map(({ medium }) => medium)]);
    for (const { file, medium } of added) sendOne(file, medium);
  };
  return { add, queue };
}

interface MediaCheck {
  readonly media: readonly { readonly usable: boolean; readonly message: string | null }[];
}

/** Converts a path on the server to a file: URI. Other text stays as it is. */
const uriOf = (text: string) =>
  text.startsWith('/') ? `file://${text.split('/').map(encodeURIComponent).join('/')}` : text;

/** Adds addresses. Media that the server cannot read are shown with the reason. */
async function addLinks(uris: readonly string[], change: Change): Promise<void> {
  const checked = await send<MediaCheck>('POST', 'rest/media/check', { mediaUris: uris }).then(
    ({ media }) => media.map(({ message }) => message),
    (error: unknown) => uris.map(() => (error as Error).message),
  );
  const added = uris.map((uri, n): ChosenMedium => {
    const problem = checked[n];
    const medium = toChosen(fileName(uri));
    return problem == null ? { ...medium, uri } : { ...medium, problem };
  });
  change((known) => [...known, ...added]);
}

function ByAddress({ change }: { readonly change: Change }) {
  return (
    <OneField
      label={TEXT.new.linkHttpsOrAPath}
      button={TEXT.new.add}
      act={async (text) => {
        if (/^rtsps?:/i.test(text)) throw new Error(TEXT.new.camerasAreUnderLive);
        const uri = uriOf(text);
        const { media } = await send<MediaCheck>('POST', 'rest/media/check', { mediaUris: [uri] });
        const objection = media[0]?.message;
        if (objection !== undefined && objection !== null) throw new Error(objection);
        change((known) => [...known, { ...toChosen(fileName(uri)), uri }]);
      }}
    />
  );
}

function Chosen({
  medium,
  change,
  queue,
}: {
  readonly medium: ChosenMedium;
  readonly change: Change;
  readonly queue: UploadQueue;
}) {
  const { key, name, uri, bytes: size, problem, from, to, hasParts = true } = medium;
  const field = (part: 'from' | 'to') => ({
    type: 'number' as const,
    min: 0,
    step: 'any',
    value: part === 'from' ? from : to,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      alterMedium(change, key, { [part]: currentTarget.value }),
  });
  return (
    <li>
      <span class="grow" title={uri ?? name}>
        {name} {size !== undefined && <small>{bytes(size)}</small>}
        {problem !== undefined && <Problem>{problem}</Problem>}
      </span>
      {uri === undefined && problem === undefined && size !== undefined && (
        <UploadProgress
          of={medium}
          pause={() => {
            queue.pause(key);
            alterMedium(change, key, { upload: 'paused' });
          }}
          resume={() => {
            alterMedium(change, key, { upload: 'waiting' });
            queue.resume(key);
          }}
        />
      )}
      {uri !== undefined && hasParts && (
        <span class="range" title={TEXT.new.onlyThisPartOfA}>
          <label>
            {TEXT.new.from} <input {...field('from')} />
          </label>
          <label>
            {TEXT.new.to} <input {...field('to')} /> s
          </label>
        </span>
      )}
      <button
        type="button"
        class="quiet-button"
        aria-label={TEXT.common.remove(name)}
        onClick={() => {
          queue.remove(key);
          change((media) => media.filter((one) => one.key !== key));
        }}
      >
        <Icon name="close" size={16} />
      </button>
    </li>
  );
}
