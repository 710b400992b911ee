/** The reference page of error codes. The compiler checks that every code of the product has a text here. */
import { EXIT } from '../../cli/terminal/failure.ts';
import { DETECTION_ERRORS, type DetectionErrorCode, type IssueCode } from '../../domain/types.ts';
import { plain, wrapLines } from './text/wrap-lines.ts';

const HEAD = `---
description: Codes of documents and programs.
---

# Error codes

Codes stay the same between versions; messages can change. [HTTP answers](rest-errors.md) have
others.

## Codes from components

They are in \`errors\` and \`warnings\` of the [detection document](detection-document.md), with the
algorithm as \`source\`. Some are only for components of your own.

`;

const FROM_COMPONENTS: Readonly<Record<DetectionErrorCode, string>> = {
  DETECTION_NOT_INITIALIZED: 'The component cannot start its work.',
  UNSUPPORTED_DATA_TYPE: 'The component does not process this type of media.',
  COULD_NOT_OPEN_DATAFILE: 'A file of the component, such as a model, cannot be opened.',
  COULD_NOT_READ_DATAFILE: 'A file of the component is damaged or has an unknown format.',
  FILE_WRITE_ERROR: 'The component cannot write a file. Check `DATA_DIR`.',
  BAD_FRAME_SIZE: 'The size of a frame is wrong.',
  DETECTION_FAILED: 'The detection failed for another reason.',
  MISSING_PROPERTY: 'A required property is not set.',
  INVALID_PROPERTY: 'A property has a wrong value. The message names the valid ones.',
  MEMORY_ALLOCATION_FAILED: 'The component ran out of memory.',
  UNRECOGNIZED_DETECTION_ERROR: 'The component failed in an unknown way.',
  REQUEST_CANCELLED: 'The component stopped its work.',
  DEAD_LETTER:
    'The last attempt of a sub-job failed without a result, for example because its process ended.',
  GPU_ERROR: 'The model cannot run on the GPU.',
  NETWORK_ERROR: 'A model server does not answer, or its answer is wrong.',
  COULD_NOT_OPEN_MEDIA: 'The medium cannot be opened, or its codec is unknown.',
  COULD_NOT_READ_MEDIA: 'A part of the medium cannot be read: it is damaged or truncated.',
};

const FROM_SERVER: Readonly<Record<IssueCode, string>> = {
  OTHER: 'Any other error. The message says what is wrong.',
  ARCHIVE_BEFORE_JOB_CHECK: 'The archive could not be queried. The job runs.',
  REMOTE_STORAGE_DOWNLOAD: 'A medium cannot be downloaded from its URL or bucket.',
  MEDIA_INSPECTION: 'Type, length or times of a medium are unknown.',
  FRAME_COUNT: 'The frames of a video cannot be counted.',
  MISSING_VIDEO_STREAM: 'A video file has no video stream.',
  MISSING_AUDIO_STREAM: 'A file has no audio stream.',
  MEDIA_INITIALIZATION: 'A medium does not exist, is not readable or is not a file.',
  PADDING: 'Padding removed the area of a detection.',
  INVALID_DETECTION: 'A component reported a detection without an area, or outside the frame.',
  LOCAL_STORAGE: 'The server cannot write to `DATA_DIR`.',
  ARTIFACT_EXTRACTION: 'A frame or crop could not be extracted. The tracks are kept.',
  MARKUP: 'The marked-up copy could not be created. The tracks are kept.',
  REMOTE_STORAGE_UPLOAD: 'A result could not be uploaded to a bucket. The server keeps it.',
};

const EXIT_CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'The command succeeded.',
  failed: 'A job ended with an error or was cancelled, or its end is unknown.',
  refused: 'Nothing ran: the usage is wrong, the request was refused, or no server runs.',
  killed: 'You pressed Ctrl-C twice.',
};

export function errorCodesPage(): string {
  return [
    `${HEAD}${DETECTION_ERRORS.map((code) => entry(code, FROM_COMPONENTS[code])).join('\n')}\n`,
    '## Codes from the server\n',
    'Their source is `WORKFLOW_MANAGER`.\n',
    `${Object.entries(FROM_SERVER)
      .map(([code, text]) => entry(code, text))
      .join('\n')}\n`,
    '## Exit codes\n',
    `${Object.entries(EXIT)
      .map(([name, code]) => entry(String(code), EXIT_CODES[name as keyof typeof EXIT]))
      .join('\n')}\n`,
  ].join('\n');
}

const entry = (code: string, text: string) => wrapLines(`- \`${code}\`: ${plain(text)}`, '  ');
