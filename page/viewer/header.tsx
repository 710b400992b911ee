import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useGet } from '../kit/load.ts';
import { fileName, timeText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { Status } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import { findingText, withPeople } from '../library/labels.ts';
import { openAnalysis } from '../new/open-analysis.ts';
import { Downloads } from './downloads.tsx';
import { PeopleLinks, usePeopleIn } from './findings/people.tsx';
import type { Lane, MediaOfJob, Medium } from '../kit/findings/types.ts';

/** Maximum number of kinds of findings in the heading. */
const MOST_NAMED = 6;

/** Name of the medium, its findings, and links to related views. */
export function ViewerHeader({
  job,
  base,
  medium,
  total,
  lanes,
  address,
}: {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
  readonly total: number;
  readonly lanes: readonly Lane[];
  /** Address of the current view. Empty until it is known. */
  readonly address: RefObject<string>;
}) {
  const { n, uri, status } = medium;
  const people = usePeopleIn(job, medium);
  const findings =
    medium.findings.length > 0
      ? medium.findings.slice(0, MOST_NAMED)
      : lanes.map(({ type, tracks }) => ({ type, class: null, tracks }));
  const found = withPeople({ findings, people: medium.people }).map(findingText);
  return (
    <header class="bar">
      <div>
        <a class="up" href={hrefOf(['jobs', job])}>
          <Icon name="back" size={16} /> {TEXT.jobs.jobNamed(job)}
        </a>
        <h1 title={uri}>
          <span class="title">{fileName(uri)}</span> {status !== 'COMPLETE' && <Status of={status} />}
        </h1>
        <p class="hint" aria-live="off">
          {[lengthText(medium), ...found, progressText(medium)].filter((text) => text !== '').join(' · ')}
        </p>
        <PeopleLinks people={people} />
      </div>
      <span class="buttons">
        {total > 1 && <Neighbours job={job} n={n} total={total} />}
        <Share linkOf={() => new URL(address.current || location.hash, location.href).href} />
        <button type="button" onClick={() => openAnalysis({ links: [uri] })}>
          {TEXT.viewer.lookForMore}
        </button>
        {medium.partial === undefined && <Downloads job={job} base={base} medium={medium} />}
      </span>
    </header>
  );
}

/** Time for which the copy of a link is confirmed: milliseconds. */
const CONFIRMED_MS = 3_000;

/** Copies a link to exactly what is shown. Browsers refuse that without HTTPS; then the link is shown instead. */
function Share({ linkOf }: { readonly linkOf: () => string }) {
  const [copies, setCopies] = useState(0);
  const [link, setLink] = useState<string>();
  useEffect(() => {
    if (copies === 0) return undefined;
    const timer = setTimeout(() => setCopies(0), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copies]);
  const share = async () => {
    const text = linkOf();
    try {
      await navigator.clipboard.writeText(text);
      setCopies((n) => n + 1);
    } catch {
      setLink(text);
    }
  };
  return (
    <span class="share">
      <button type="button" onClick={() => void share()}>
        <Icon name="link" /> {TEXT.viewer.share}
      </button>
      <span role="status">{copies > 0 && <span class="bubble">{TEXT.viewer.linkCopied}</span>}</span>
      {link !== undefined && <LinkDialog link={link} close={() => setLink(undefined)} />}
    </span>
  );
}

function LinkDialog({ link, close }: { readonly link: string; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    dialog.current!.showModal();
    field.current!.select();
  }, []);
  return (
    <dialog ref={dialog} class="link-dialog" onClose={close}>
      <label>
        {TEXT.viewer.copyThisLink}
        <input ref={field} type="text" readOnly value={link} />
      </label>
      <form method="dialog">
        <button type="submit">{TEXT.common.close}</button>
      </form>
    </dialog>
  );
}

/** Links to the media before and after this one in the document. */
function Neighbours({ job, n, total }: { readonly job: string; readonly n: number; readonly total: number }) {
  const around = useGet<MediaOfJob>(`rest/jobs/${encodeURIComponent(job)}/media`, {
    limit: 3,
    offset: Math.max(0, n - 1),
  });
  const idAt = (place: number) => around.value?.media.find((one) => one.n === place)?.mediaId;
  const [before, after] = [idAt(n - 1), idAt(n + 1)];
  return (
    <nav aria-label={TEXT.viewer.mediaOfTheJob}>
      {before !== undefined && <a href={hrefOf(['jobs', job, 'media', before])}>{TEXT.viewer.previous}</a>}{' '}
      {TEXT.viewer.of(n + 1, total)}{' '}
      {after !== undefined && <a href={hrefOf(['jobs', job, 'media', after])}>{TEXT.viewer.next}</a>}
    </nav>
  );
}

function lengthText({ mediaType, metadata }: Medium): string {
  const ms = Number(metadata['DURATION'] ?? 0);
  return ms > 0 && (mediaType === 'VIDEO' || mediaType === 'AUDIO') ? timeText(ms) : '';
}

const progressText = ({ partial }: Medium) =>
  partial === undefined ? '' : TEXT.viewer.analyzed(Math.floor(partial.percent));
