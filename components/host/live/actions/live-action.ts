/** An action on the pictures of one size in a live stream: on whole frames, or on tracks of earlier tasks. */
import type { FrameTransform } from '../../../../media/picture/transform.ts';
import { FramePicker, type Sampling } from '../../../../media/video/sampling.ts';
import type { StreamAction } from '../../../../protocol/streams.ts';
import type { DetectionJob, Detector, FrameSource } from '../../../sdk/detector.ts';
import type { DetectorCall } from './detector-call.ts';
import type { MotionGate } from './motion-gate.ts';
import type { LiveFrame } from '../source.ts';
import type { TaskFindings } from './task-findings.ts';

export interface LiveAction {
  /** Resolves when the detector has processed the frame. False if the frame was skipped. */
  look(frame: LiveFrame): Promise<boolean>;
  /** Ends calls that process only one segment. */
  endSegment(): Promise<void>;
  /** Ends the action, because no more pictures of this size follow. */
  end(): Promise<void>;
}

export type FedJob = Pick<DetectionJob, 'fed' | 'isFedOpen' | 'allFed'>;

/** Parts of the stream that an action needs. */
export interface ActionParts {
  readonly detector: Detector;
  readonly action: StreamAction;
  /** Calls the detector for pictures from this frame on. `liveId`: the fed track, to which an annotator adds what it finds. */
  call(source: Pick<FrameSource, 'width' | 'height' | 'start'>, fed?: FedJob, liveId?: string): DetectorCall;
  /** Ends the call and its tracks. */
  leave(call: DetectorCall): void;
}

export interface WholeFrameParts extends ActionParts {
  readonly transform: FrameTransform;
  readonly gate: MotionGate | undefined;
  /** Frames to process; all frames if undefined. */
  readonly sampling?: Sampling | undefined;
  /** Findings of the previous task, and the number of frames after them that are also processed; undefined for the first task. */
  readonly after?: { readonly findings: TaskFindings; readonly gap: number } | undefined;
}

/** Processes whole frames. After the first task, it processes only frames with findings of the previous task. */
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
