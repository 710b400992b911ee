/** An action at work on the pictures of one size of a live stream: on whole frames, or on the tracks of tasks before it. */
import type { FrameTransform } from '../../../../media/picture/transform.ts';
import { FramePicker, type Sampling } from '../../../../media/video/sampling.ts';
import type { StreamAction } from '../../../../protocol/streams.ts';
import type { DetectionJob, Detector, FrameSource } from '../../../sdk/detector.ts';
import type { DetectorCall } from './detector-call.ts';
import type { MotionGate } from './motion-gate.ts';
import type { LiveFrame } from '../source.ts';
import type { TaskFindings } from './task-findings.ts';

export interface LiveAction {
  /** Resolves when the detector is done with the frame; false: it was spared. */
  look(frame: LiveFrame): Promise<boolean>;
  /** Calls that see one segment end with it. */
  endSegment(): Promise<void>;
  /** No more pictures of this size come. */
  end(): Promise<void>;
}

/** What an action needs of the stream. */
export interface ActionParts {
  readonly detector: Detector;
  readonly action: StreamAction;
  /** Calls the detector for pictures from this frame on. */
  call(
    source: Pick<FrameSource, 'width' | 'height' | 'start'>,
    fed?: Pick<DetectionJob, 'fed' | 'allFed'>,
  ): DetectorCall;
  /** The call is over: its tracks end. */
  leave(call: DetectorCall): void;
}

export interface WholeFrameParts extends ActionParts {
  readonly transform: FrameTransform;
  readonly gate: MotionGate | undefined;
  /** Absent: all frames that come are looked at. */
  readonly sampling?: Sampling | undefined;
  /** What the task before has found, and the frames behind it that are looked at as well; absent: it is the first task. */
  readonly after?: { readonly findings: TaskFindings; readonly gap: number } | undefined;
}

/** Looks at whole frames; after the first task at those in which the task before found something. */
export class WholeFrames implements LiveAction {
  readonly #parts: WholeFrameParts;
  readonly #picker: FramePicker | undefined;
  #call: DetectorCall | undefined;

  constructor(parts: WholeFrameParts) {
    this.#parts = parts;
    this.#picker = parts.sampling && new FramePicker(parts.sampling);
  }

  async look(frame: LiveFrame): Promise<boolean> {
    const { transform, gate, after } = this.#parts;
    const isWanted = this.#picker?.wants(frame.index, true, frame.time) ?? true;
    if (!isWanted || after?.findings.reaches(frame.index, after.gap) === false) return false;
    const view = transform.apply(frame);
    const isOpen = gate?.isOpen(view) ?? true;
    if (!isOpen) return false;
    if (this.#call?.isOver === true) this.#leave();
    this.#call ??= this.#parts.call({ ...sizeOf(transform), start: frame.index });
    await this.#call.look(view, transform);
    return true;
  }

  async endSegment(): Promise<void> {
    if (this.#parts.detector.followsStreams !== true) await this.end();
  }

  async end(): Promise<void> {
    await this.#call?.end();
    this.#leave();
  }

  #leave(): void {
    if (this.#call !== undefined) this.#parts.leave(this.#call);
    this.#call = undefined;
  }
}

const sizeOf = ({ width, height }: FrameTransform) => ({ width, height });
