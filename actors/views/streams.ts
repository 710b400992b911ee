/** The state of streaming jobs (specification 2.3), read from the store without loading an actor. */
import { maskUri } from '../../domain/job/censor.ts';
import { scopesOf, type Owner, type Sight } from '../../domain/users/owner.ts';
import { omit } from '../../domain/omit.ts';
import { streamOutputFolder } from '../../results/layout.ts';
import { localIso } from '../../results/local-iso.ts';
import type { StreamCounts } from '../../protocol/streams.ts';
import { allEntries, type Store } from '../../store/store.ts';
import { ACTIVE_STREAMS, ALL_STREAMS } from '../streaming-job/indexes.ts';
import type { LiveStreams } from '../streaming-job/live.ts';
import type { RecordingRules } from '../streaming-job/recordings/recording-rules.ts';
import type { ReportOutcome } from '../streaming-job/reports/report-queues.ts';
import type { StreamReports } from '../streaming-job/reports/reports.ts';
import {
  sumOf,
  type StreamingJobRecord,
  type StreamingJobState,
  type StreamingStatus,
} from '../streaming-job/state.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';
import { NO_ZONES, type ZonesState } from '../streaming-job/zones/record.ts';
import type { ZonePlan } from '../../domain/zones/types.ts';

/** The members that the specification lists. */
export interface StreamingJobInfo {
  readonly jobId: number;
  readonly outputObjectDirectory: string | null;
  /** Without its password. */
  readonly streamUri: string;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly jobStatus: StreamingStatus;
  readonly jobStatusDetail: string | null;
  readonly pipelineName: string;
  readonly activityFrameId: string | null;
  readonly activityTimestamp: string | null;
}

/** Adds members that specification 2.3 does not list. */
export interface DetailedStreamInfo extends StreamingJobInfo {
  readonly externalId: string | null;
  readonly owner?: Owner;
  readonly recording?: RecordingInfo;
  readonly segments: number;
  readonly picture: StreamingJobState['picture'];
  readonly frames: StreamCounts;
  /** Parts of the request without effect, and parts of the stream that components could not analyze. */
  readonly warnings: readonly string[];
  readonly reports: {
    readonly health: OutcomeInfo | null;
    readonly summary: OutcomeInfo | null;
    /** Reports that were dropped because their receiver was too slow. */
    readonly dropped: number;
  };
  /** Absent if the request has no zones. */
  readonly zones?: StreamZonesInfo;
}

export interface StreamZonesInfo extends ZonePlan {
  readonly occupancy: Readonly<Record<string, number>>;
  /** Webhooks and messages that are not delivered yet, and those that were given up. */
  readonly pending: number;
  readonly dropped: number;
  readonly trouble: string | null;
  readonly ignored: number;
}

interface RecordingInfo {
  /** Without its password. Absent if it is the URI of the stream. */
  readonly streamUri?: string;
  readonly days: number;
  readonly bytes: number;
}
interface OutcomeInfo {
  readonly at: string;
  readonly error: string | null;
}

export interface StreamViewDeps {
  readonly store: Store;
  readonly dataDir: string;
  readonly live: Pick<LiveStreams, 'counts'>;
  readonly reports: Pick<StreamReports, 'outcomes'>;
}

export class StreamViews {
  readonly #deps: StreamViewDeps;

  constructor(deps: StreamViewDeps) {
    this.#deps = deps;
  }

  /** Numbers of all streaming jobs that the user sees, or only of the active ones. */
  async list(onlyActive: boolean, sight: Sight): Promise<readonly number[]> {
    const index = onlyActive ? ACTIVE_STREAMS : ALL_STREAMS;
    const found = new Set<number>();
    for (const scope of sight === 'ALL' ? [''] : scopesOf(sight))
      for await (const { id } of allEntries(this.#deps.store, scope + index)) found.add(Number(id));
    return [...found].sort((a, b) => a - b);
  }

  async single(number: number): Promise<StreamingJobInfo | undefined> {
    const stream = await this.detailedStream(number);
    return (
      stream &&
      omit(
        stream,
        'externalId',
        'owner',
        'recording',
        'segments',
        'picture',
        'frames',
        'warnings',
        'reports',
        'zones',
      )
    );
  }

  async detailedStream(number: number): Promise<DetailedStreamInfo | undefined> {
    const job = await storedStream(this.#deps.store, number);
    return job === undefined ? undefined : this.infoOf(job.record, job.state);
  }

  infoOf(record: StreamingJobRecord, state: StreamingJobState): DetailedStreamInfo {
    const { number, enableOutputToDisk } = record;
    const { activity, counts, earlier } = state;
    const outcomes = this.#deps.reports.outcomes(number);
    return {
      jobId: number,
      outputObjectDirectory: enableOutputToDisk ? streamOutputFolder(this.#deps.dataDir, number) : null,
      streamUri: maskUri(record.streamUri),
      startDate: localIso(record.createdAt),
      endDate: state.endedAt === null ? null : localIso(state.endedAt),
      jobStatus: state.status,
      jobStatusDetail: state.detail,
      pipelineName: record.pipelineName,
      activityFrameId: activity === null ? null : String(activity.frame),
      activityTimestamp: activity === null ? null : localIso(activity.at),
      externalId: record.externalId,
      ...(record.owner === undefined ? {} : { owner: record.owner }),
      ...(record.recording === undefined ? {} : { recording: recordingOf(record.recording) }),
      segments: state.lastSegment + 1,
      picture: state.picture,
      frames: sumOf(earlier, this.#deps.live.counts(number) ?? counts),
      warnings: [...(record.warnings ?? []), ...(state.warnings ?? [])],
      reports: {
        health: outcomeOf(outcomes?.health),
        summary: outcomeOf(outcomes?.summary),
        dropped: outcomes?.dropped ?? 0,
      },
      ...(record.zones === undefined ? {} : { zones: zonesInfo(record.zones.plan, state.zones) }),
    };
  }
}

const recordingOf = ({ uri, days, bytes }: RecordingRules): RecordingInfo => ({
  ...(uri === undefined ? {} : { streamUri: maskUri(uri) }),
  days,
  bytes,
});

const outcomeOf = (outcome: ReportOutcome | undefined): OutcomeInfo | null =>
  outcome === undefined ? null : { at: localIso(outcome.at), error: outcome.error };

export function zonesInfo(
  { zones, lines, rules, anchor }: ZonePlan,
  { watch, pending, dropped, trouble }: ZonesState = NO_ZONES,
): StreamZonesInfo {
  const tracks = Object.values(watch.tracks);
  const inside = (name: string) => tracks.filter(({ visits }) => visits[name] !== undefined).length;
  return {
    ...{ zones, lines, rules },
    ...(anchor === undefined ? {} : { anchor }),
    occupancy: Object.fromEntries(zones.map(({ name }) => [name, inside(name)])),
    pending: Object.keys(pending).length,
    ...{ dropped, trouble, ignored: watch.ignored },
  };
}
