import { useEffect, useRef, useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { ExportMenu, offersOfJob } from '../kit/exports.tsx';
import { count, countText, duration, fileName } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { Problem, Progress, Shown, Status, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { MEDIA_KIND, withPeople } from '../library/labels.ts';
import { Chips, mediaIcon } from '../library/tile.tsx';
import { storedSize, turnPicture } from '../kit/findings/overlay.ts';
import type { MediaOfJob, Medium } from '../kit/findings/types.ts';
import type { JobInfo } from './types.ts';
import { TEXT } from '../kit/text.ts';

const PAGE = 100;

/** Interval between two updates of a running job: milliseconds. */
const LIVE_MS = 2_000;

/** The media of a job with the findings in each, also while the job runs. Of a job without a document, only the names are known. */
export function MediaList({ job }: { readonly job: JobInfo }) {
  return (
    <section>
      {!job.terminal || job.outputObjectPath !== null ? (
        <Results job={job.jobId} isLive={!job.terminal} />
      ) : (
        <Names of={job.mediaUris} />
      )}
    </section>
  );
}

function Names({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      <h2>{TEXT.common.media}</h2>
      <ol class="media">
        {of.slice(0, PAGE).map((uri, n) => (
          <li key={n} title={uri}>
            {fileName(uri)}
          </li>
        ))}
      </ol>
      {of.length > PAGE && (
        <p class="hint">{TEXT.jobs.andOthersSentence(countText(of.length - PAGE, TEXT.common.other))}</p>
      )}
    </>
  );
}

function Results({ job, isLive }: { readonly job: string; readonly isLive: boolean }) {
  const [offset, setOffset] = useState(0);
  const path = `rest/jobs/${encodeURIComponent(job)}/media`;
  const media = useGet<MediaOfJob>(path, { limit: PAGE, offset }, isLive ? LIVE_MS : undefined);
  const wasLive = useRef(isLive);
  useEffect(() => {
    if (wasLive.current !== isLive) media.again();
    wasLive.current = isLive;
  }, [isLive]);
  return (
    <Shown of={media}>
      {({ media: page, total, issues }) => (
        <>
          {issues.map(({ message }, n) => (
            <Problem key={n}>{message}</Problem>
          ))}
          <div class="bar heading">
            <h2>{TEXT.common.media}</h2>
            <ExportMenu
              path={`rest/jobs/${encodeURIComponent(job)}/output/detection`}
              offers={offersOfJob(page)}
            />
          </div>
          <Table columns={[TEXT.jobs.mediumColumn, TEXT.common.found, TEXT.common.kind, TEXT.jobs.status]}>
            {page.map((medium) => (
              <MediumRow key={medium.n} job={job} medium={medium} />
            ))}
          </Table>
          {total > PAGE && (
            <nav class="pages" aria-label={TEXT.jobs.pagesOfMedia}>
              <button type="button" disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
                {TEXT.jobs.before}
              </button>
              <span>
                {TEXT.common.fromToOf(count(offset + 1), count(offset + page.length), count(total))}
              </span>
              <button
                type="button"
                disabled={offset + page.length >= total}
                onClick={() => setOffset(offset + PAGE)}
              >
                {TEXT.jobs.next}
              </button>
            </nav>
          )}
        </>
      )}
    </Shown>
  );
}

function MediumRow({ job, medium }: { readonly job: string; readonly medium: Medium }) {
  const { mediaId, uri, status, tracks, detections, parentMediaId, issues, partial } = medium;
  return (
    <tr>
      <th scope="row">
        <a class="with-thumbnail" href={hrefOf(['jobs', job, 'media', mediaId])} title={uri}>
          <Thumbnail job={job} medium={medium} />
          <span class="title">{fileName(uri)}</span>
        </a>
        {parentMediaId >= 0 && <small>{TEXT.jobs.fromAnotherMedium}</small>}
        {issues.map(({ kind, message }, k) => (
          <small key={k} class={kind === 'errors' ? 'bad' : 'warn'}>
            {message}
          </small>
        ))}
      </th>
      <td
        data-label={TEXT.common.found}
        title={`${countText(tracks, TEXT.jobs.track)}, ${countText(detections, TEXT.jobs.detection)}`}
      >
        <MediumChips medium={medium} />
      </td>
      <td data-label={TEXT.common.kind} title={medium.mimeType}>
        {kindOf(medium)}
      </td>
      <td data-label={TEXT.jobs.status}>
        {partial !== undefined && isRunning(status) ? (
          <Progress percent={partial.percent} label={fileName(uri)} />
        ) : (
          <Status of={status} />
        )}
      </td>
    </tr>
  );
}

/** Maximum number of chips in a row. The others are only counted. */
const CHIPS = 5;

/** The findings in a medium. An unfinished medium shows only their number. */
function MediumChips({ medium }: { readonly medium: Medium }) {
  const { findings, tracks, status } = medium;
  if (findings.length === 0 && tracks > 0)
    return <span class="chip">{TEXT.jobs.soFar(countText(tracks, TEXT.common.finding))}</span>;
  if (findings.length === 0 && (isRunning(status) || status === 'ERROR')) return null;
  return <Chips of={withPeople(medium)} most={CHIPS} />;
}

const isRunning = (status: string) => status === 'WAITING' || status === 'IN_PROGRESS';

/** Returns the first frame of the second third of a video, which is rarely black. */
const frameOf = ({ mediaType, length }: Medium) => (mediaType === 'VIDEO' ? Math.floor(length / 3) : 0);

function Thumbnail({ job, medium }: { readonly job: string; readonly medium: Medium }) {
  const { mediaId, mediaType } = medium;
  // The medium is not inspected yet, or has no pictures.
  if (medium.length < 1 || (mediaType !== 'VIDEO' && mediaType !== 'IMAGE'))
    return (
      <span class="thumbnail">
        <Icon name={mediaIcon(mediaType)} />
      </span>
    );
  const path = `rest/jobs/${encodeURIComponent(job)}/media/${mediaId}/frames/${frameOf(medium)}.jpg`;
  return <img class="thumbnail" src={urlOf(path, { small: true })} alt="" loading="lazy" />;
}

function kindOf(medium: Medium): string {
  const { mediaType, metadata } = medium;
  const { DURATION: length } = metadata;
  const stored = storedSize(medium);
  const shown = stored === undefined ? undefined : turnPicture(stored, metadata);
  const size = shown === undefined ? '' : `, ${shown.width}×${shown.height}`;
  const long = Number(length) > 0 ? `, ${duration(Number(length))}` : '';
  return `${MEDIA_KIND[mediaType] ?? ''}${size}${long}`;
}
