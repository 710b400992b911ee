/** Runs all actions of a stream on its pictures of one size. Each frame passes from action to action in the order of their tasks. */
import { frameTransform } from '../../../media/picture/transform.ts';
import { createSampling, type Sampling } from '../../../media/video/sampling.ts';
import { booleanOf, integerOf, textOf } from '../../../domain/properties/properties.ts';
import { taskInputs } from '../../../domain/plan/task-inputs.ts';
import { feedForwardType, triggerIn } from '../../../domain/properties/trigger.ts';
import type { StreamAction } from '../../../protocol/streams.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import type { Detector, FoundTrack, FrameSource } from '../../sdk/detector.ts';
import type { StreamContext } from '../../sdk/work/stream-worker.ts';
import { DetectorCall } from './actions/detector-call.ts';
import { FedTracks, type FedFrom } from './actions/fed-action.ts';
import { WholeFrames, type ActionParts, type FedJob, type LiveAction } from './actions/live-action.ts';
import type { LiveScene } from './live-scene.ts';
import { LiveTracks } from './live-tracks.ts';
import type { LiveZones } from './live-zones.ts';
import type { MotionGate } from './actions/motion-gate.ts';
import type { NewestPicture } from './newest-picture.ts';
import { samplingsDiffer } from './reader-options.ts';
import type { SegmentLine } from './segments/segment-line.ts';
import type { LiveFrame } from './source.ts';
import { streamShaper } from './segments/stream-shaper.ts';
import { TaskFindings } from './actions/task-findings.ts';

/** An action with its loaded detector. */
export interface LoadedAction extends StreamAction {
  readonly detector: Detector;
}

export interface CourseParts {
  readonly actions: readonly LoadedAction[];
  readonly work: StreamAssignment['work'];
  readonly context: StreamContext;
  readonly scene: LiveScene;
  readonly segments: SegmentLine;
  readonly picture: NewestPicture;
  readonly warn: (message: string) => void;
  readonly first: LiveFrame;
  /** Returns the motion gate of an action, with the background that it learned for this picture size. */
  gateOf(action: number, transform: ReturnType<typeof frameTransform>): MotionGate | undefined;
  /** Zones; undefined if the stream has none. */
  readonly zones: LiveZones | undefined;
  /** Frame rate that the stream states; 0 if it does not. */
  readonly fps: number;
}

interface CalledAction {
  readonly index: number;
  readonly findings: TaskFindings | undefined;
  /** The track of an earlier task to which the results are added; undefined if they are tracks of their own. */
  readonly annotated: string | undefined;
}

/** Time in milliseconds for a detector to close its tracks after a stop. Then the detector is aborted. */
const CLOSING_MS = 300;

export class Course {
  readonly #parts: CourseParts;
  readonly #actions: readonly LiveAction[];
  readonly #abort = new AbortController();
  readonly #onStop: () => void;

  constructor(parts: CourseParts) {
    this.#parts = parts;
    const { context } = parts;
    this.#onStop = () => setTimeout(() => this.#abort.abort(context.stop.reason), CLOSING_MS).unref();
    context.stop.addEventListener('abort', this.#onStop, { once: true });
    this.#actions = this.#beginActions();
  }

  /** True if the frame has the size of this course. */
  isFor({ width, height }: LiveFrame): boolean {
    const { first } = this.#parts;
    return width === first.width && height === first.height;
  }

  async next(frame: LiveFrame): Promise<void> {
    const { segments, zones } = this.#parts;
    if (frame.index > segments.stop) await this.#endSegment();
    segments.openFor(frame);
    let isLooked = false;
    for (const action of this.#actions) isLooked = (await action.look(frame)) || isLooked;
    if (isLooked) segments.processed++;
    else segments.skipped++;
    zones?.flush(frame, segments.clock.at(frame.index));
    this.#show(frame);
    if (frame.index < segments.stop) return;
    await this.#endSegment();
    segments.closePassed();
  }

  async end(): Promise<void> {
    for (const action of this.#actions) await action.end();
  }

  /** Ends everything that is still open, also after an error. */
  leave(): void {
    const { context, segments, zones } = this.#parts;
    context.stop.removeEventListener('abort', this.#onStop);
    for (const call of segments.calls) this.#leaveCall(call);
    zones?.flush();
  }

  async #endSegment(): Promise<void> {
    for (const action of this.#actions) await action.endSegment();
  }

  #show(frame: LiveFrame): void {
    const { context, picture, scene } = this.#parts;
    if (context.wantsFrame()) picture.offer(frame, scene.shownIn(frame.index));
  }

  /** Starts the actions in order, because later tasks use the findings of earlier ones. */
  #beginActions(): readonly LiveAction[] {
    const { actions } = this.#parts;
    const last = actions.at(-1)?.task ?? 0;
    const found = actions.map(({ task }) => (task < last ? new TaskFindings() : undefined));
    const own = samplingsDiffer(actions);
    return actions.map((one, index) => this.#begin(one, index, found, own));
  }

  #begin(
    action: LoadedAction,
    index: number,
    found: readonly (TaskFindings | undefined)[],
    hasOwnSampling: boolean,
  ): LiveAction {
    const { first } = this.#parts;
    const { properties, task, detector } = action;
    // The first task has no feed-forward, whatever FEED_FORWARD_TYPE says, so the search region applies.
    const type = task === 0 ? null : feedForwardType(properties['FEED_FORWARD_TYPE']);
    const annotates = type !== null && booleanOf(properties, 'IS_ANNOTATOR');
    const parts: ActionParts = {
      ...{ detector, action },
      call: (source, fed, liveId) =>
        this.#call(
          action,
          { index, findings: found[index], annotated: annotates ? liveId : undefined },
          source,
          fed,
        ),
      leave: (call) => this.#leaveCall(call),
    };
    if (type !== null) {
      const trigger = triggerIn(textOf(properties, 'TRIGGER', ''));
      return new FedTracks({ ...parts, type, trigger, sources: this.#sourcesOf(task, found), size: first });
    }
    const transform = frameTransform({ ...properties, FEED_FORWARD_TYPE: 'NONE' }, {}, first);
    const findings = task === 0 ? undefined : found[task - 1]!;
    const gap = integerOf(properties, 'MIN_GAP_BETWEEN_SEGMENTS');
    return new WholeFrames({
      ...parts,
      transform,
      gate: this.#parts.gateOf(index, transform),
      sampling: hasOwnSampling ? samplingOf(action) : undefined,
      after: findings && { findings, gap },
    });
  }

  /** Returns the tracks for a task. Only the last task has several actions, so the index of every earlier action is that of its task. */
  #sourcesOf(task: number, found: readonly (TaskFindings | undefined)[]): readonly FedFrom[] {
    const before = this.#parts.actions.slice(0, task);
    const triggers = before.map(({ properties }, at) =>
      at === 0 || feedForwardType(properties['FEED_FORWARD_TYPE']) === null
        ? null
        : textOf(properties, 'TRIGGER', '').trim() || null,
    );
    return taskInputs(triggers).map((input) => ({
      task: input.task,
      findings: found[input.task]!,
      consumedBy: input.consumedBy.flatMap((at) => triggerIn(triggers[at] ?? '') ?? []),
    }));
  }

  #call(
    { detector, trackType, properties }: LoadedAction,
    { index, findings, annotated }: CalledAction,
    source: Pick<FrameSource, 'width' | 'height' | 'start'>,
    fed: FedJob = {},
  ): DetectorCall {
    const { actions, scene, segments, first, fps, warn } = this.#parts;
    const size = { width: first.width, height: first.height };
    const isSuppressed = booleanOf(properties, 'SUPPRESS_TRACKS') && findings !== undefined;
    const isHidden = isSuppressed || annotated !== undefined;
    const call = new DetectorCall({
      detector,
      job: { properties, signal: this.#abort.signal, warn, ...fed },
      ...{ action: index, isHidden, size },
      tracks: new LiveTracks({
        ...{ scene, trackType, isHidden, findings },
        action: actions.length > 1 ? index : undefined,
      }),
      shaper: streamShaper({
        ...{ trackType, properties, ...size, warn },
        at: (frame) => segments.clock.at(frame),
      }),
      source: {
        ...source,
        fps,
        stop: detector.followsStreams === true ? Number.MAX_SAFE_INTEGER : segments.stop,
      },
      add: (by: DetectorCall, track: FoundTrack) =>
        annotated === undefined ? segments.add(by, track) : segments.annotations.add(annotated, track),
    });
    segments.calls.add(call);
    return call;
  }

  #leaveCall(call: DetectorCall): void {
    const { segments } = this.#parts;
    if (!segments.calls.has(call)) return;
    segments.endTracks(call);
    call.leave();
    segments.calls.delete(call);
  }
}

const samplingOf = ({ properties }: StreamAction): Sampling =>
  createSampling(
    {
      interval: integerOf(properties, 'FRAME_INTERVAL'),
      rateCap: Number(properties['FRAME_RATE_CAP'] ?? 0) || 0,
    },
    undefined,
  );
