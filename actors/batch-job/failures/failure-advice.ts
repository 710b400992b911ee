/** Advice to users about failures, by error code. */
import type { DetectionErrorCode, IssueCode } from '../../../domain/types.ts';

const COMPONENT_LOG = 'Read the log of its service: troupe nodes logs SERVICE.';
const MESSAGE_SAYS = 'The message says what is wrong.';
const RETRY = 'Then run the jobs again.';
const MEMORY = `Use smaller media, or raise MAX_COMPONENT_MEMORY. ${RETRY}`;
const DAMAGED = 'The file is damaged or incomplete. Replace it with a good copy.';
const DISK = `Check the free space and the permissions of DATA_DIR. ${RETRY}`;
const MODEL_FILE = `Check the model files below MODEL_ROOTS and their permissions. ${RETRY}`;

const ADVICE: Readonly<Record<DetectionErrorCode | IssueCode, string>> = {
  DETECTION_NOT_INITIALIZED: `The component could not start its work. ${COMPONENT_LOG}`,
  UNSUPPORTED_DATA_TYPE: 'Use a pipeline that processes this type of media.',
  COULD_NOT_OPEN_DATAFILE: MODEL_FILE,
  COULD_NOT_READ_DATAFILE: MODEL_FILE,
  FILE_WRITE_ERROR: DISK,
  BAD_FRAME_SIZE: COMPONENT_LOG,
  DETECTION_FAILED: `${MESSAGE_SAYS} ${COMPONENT_LOG}`,
  MISSING_PROPERTY: 'Set the property that the message names, in the job or in the pipeline.',
  INVALID_PROPERTY: 'Correct the property that the message names, in the job or in the pipeline.',
  MEMORY_ALLOCATION_FAILED: MEMORY,
  UNRECOGNIZED_DETECTION_ERROR: COMPONENT_LOG,
  REQUEST_CANCELLED: `The component stopped its work. ${COMPONENT_LOG}`,
  DEAD_LETTER: `The component crashed, hung or gave a wrong answer at each attempt. ${COMPONENT_LOG}`,
  GPU_ERROR: `Check the GPU and its driver on the host of the component. ${RETRY}`,
  NETWORK_ERROR: `Check that the model server runs and can be reached. ${RETRY}`,
  COULD_NOT_OPEN_MEDIA: DAMAGED,
  COULD_NOT_READ_MEDIA: DAMAGED,
  OTHER: MESSAGE_SAYS,
  ARCHIVE_BEFORE_JOB_CHECK: `Check that the archive can be reached. ${RETRY}`,
  REMOTE_STORAGE_DOWNLOAD:
    'Check the address, and that its host answers. Private networks need FETCH_PRIVATE.',
  MEDIA_INSPECTION: DAMAGED,
  FRAME_COUNT: DAMAGED,
  MISSING_VIDEO_STREAM: 'Use a pipeline for sound, or a file with a video stream.',
  MISSING_AUDIO_STREAM: 'Use a file with an audio stream.',
  MEDIA_INITIALIZATION: 'Check that the file exists, can be read and is below MEDIA_ROOTS.',
  PADDING: MESSAGE_SAYS,
  INVALID_DETECTION: COMPONENT_LOG,
  LOCAL_STORAGE: DISK,
  ARTIFACT_EXTRACTION: MESSAGE_SAYS,
  MARKUP: MESSAGE_SAYS,
  REMOTE_STORAGE_UPLOAD: `Check the bucket and its credentials. ${RETRY}`,
};

/** Returns one or two sentences. A code that only another version knows gets a reference to the message. */
export const adviceFor = (code: string): string =>
  Object.hasOwn(ADVICE, code) ? ADVICE[code as keyof typeof ADVICE] : MESSAGE_SAYS;
