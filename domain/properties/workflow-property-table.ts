/**
 * The table of workflow properties, which any job, action, algorithm or medium may set without a declaration by the algorithm. A row has
 * name, type, shipped default ('' is unset), key of the server property for another default, media types of the default, and description.
 */
import type { AlgorithmProperty, MediaType } from '../types.ts';

export type WorkflowPropertyRow = readonly [
  name: string,
  type: AlgorithmProperty['type'],
  defaultValue: string,
  propertiesKey: string,
  mediaTypes: readonly MediaType[],
  description: string,
];

const ALL: readonly MediaType[] = ['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN'];
const SEEN: readonly MediaType[] = ['VIDEO', 'IMAGE'];
const VIDEO: readonly MediaType[] = ['VIDEO'];
const TIMED: readonly MediaType[] = ['AUDIO', 'VIDEO'];
const GENERIC: readonly MediaType[] = ['UNKNOWN'];

// oxfmt-ignore
const FEED_FORWARD: readonly WorkflowPropertyRow[] = [
  ['FEED_FORWARD_TYPE', 'STRING', 'NONE', '', ALL,
    'What a task uses of earlier tracks: NONE, FRAME, REGION or SUPERSET_REGION.'],
  ['FEED_FORWARD_ALL_TRACKS', 'BOOLEAN', 'false', '', TIMED,
    'Process all tracks of a medium in one sub-job.'],
  ['FEED_FORWARD_TOP_QUALITY_COUNT', 'INT', '0', '', VIDEO,
    'Feed only so many best detections of a track; 0: all.'],
  ['FEED_FORWARD_BEST_DETECTION_PROP_NAMES_LIST', 'STRING', '', '', SEEN,
    'Also feeds detections with one of these properties (";").'],
  ['TRIGGER', 'STRING', '', '', ALL,
    'PROPERTY=VALUE1;VALUE2: feed only tracks with such a value.'],
  ['IS_ANNOTATOR', 'BOOLEAN', 'false', '', ALL,
    'Add properties to the fed tracks, in place of new tracks.'],
  ['SUPPRESS_TRACKS', 'BOOLEAN', 'false', '', ALL,
    "Leave the action's tracks out of the detection document."],
];

// oxfmt-ignore
const ARTIFACTS: readonly WorkflowPropertyRow[] = [
  ['OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY', 'BOOLEAN', 'false', 'output.objects.artifacts.and.exemplars.only', SEEN,
    'Keep only exemplars and extracted detections in documents.'],
  ['OUTPUT_DETAILS', 'BOOLEAN', 'false', 'output.objects.details', ALL,
    'Add effectiveProperties, paths and more to documents, and liveId to reports of streams. For jobs and the server only.'],
  ['ARTIFACT_EXTRACTION_POLICY', 'STRING', 'VISUAL_TYPES_ONLY', 'detection.artifact.extraction.policy', SEEN,
    'Which tracks get artifacts: NONE, VISUAL_TYPES_ONLY, ALL_TYPES or ALL_DETECTIONS.'],
  ['ARTIFACT_EXTRACTION_POLICY_CROPPING', 'BOOLEAN', 'true', 'detection.artifact.extraction.policy.cropping', SEEN,
    'Cut artifacts to the upright detection; false keeps the whole frame.'],
  ['ARTIFACT_EXTRACTION_POLICY_EXEMPLAR_FRAME_PLUS', 'INT', '0', 'detection.artifact.extraction.policy.exemplar.frame.plus', SEEN,
    'Extract so many detections beside the exemplar; below 0: none.'],
  ['ARTIFACT_EXTRACTION_POLICY_FIRST_FRAME', 'BOOLEAN', 'false', 'detection.artifact.extraction.policy.first.frame', SEEN,
    'Extract the first detection of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_MIDDLE_FRAME', 'BOOLEAN', 'false', 'detection.artifact.extraction.policy.middle.frame', SEEN,
    'Extract the middle detection of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_LAST_FRAME', 'BOOLEAN', 'false', 'detection.artifact.extraction.policy.last.frame', SEEN,
    'Extract the last detection of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_TOP_QUALITY_COUNT', 'INT', '0', 'detection.artifact.extraction.policy.top.quality.count', SEEN,
    'Extract so many best detections of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_BEST_DETECTION_PROP_NAMES_LIST', 'STRING', '', '', SEEN,
    'Also extracts detections with one of these properties (";").'],
];

// oxfmt-ignore
const SAMPLING: readonly WorkflowPropertyRow[] = [
  ['USE_KEY_FRAMES', 'BOOLEAN', 'false', '', VIDEO,
    'Analyze key frames only; FRAME_INTERVAL then counts key frames.'],
  ['FRAME_INTERVAL', 'INT', '1', 'detection.sampling.interval', VIDEO,
    'Analyze every n-th frame.'],
  ['FRAME_RATE_CAP', 'INT', '-1', 'detection.frame.rate.cap', VIDEO,
    'Analyze at most so many frames per second; 0: all.'],
  ['MOTION_GATE', 'BOOLEAN', 'false', 'detection.stream.motion.gate', VIDEO,
    'Live streams: analyze frames only while something moves.'],
  ['RTSP_TRANSPORT', 'STRING', 'TCP', 'detection.stream.rtsp.transport', VIDEO,
    'Transport of live streams: TCP or UDP.'],
  ['MIN_GAP_BETWEEN_SEGMENTS', 'INT', '10', 'detection.segment.minimum.gap', VIDEO,
    'Join ranges of earlier tracks that are at most so many frames apart.'],
  ['TARGET_SEGMENT_LENGTH', 'INT', '200', 'detection.segment.target.length', VIDEO,
    'Length of a sub-job of a video; 0: the whole video.'],
  ['VFR_TARGET_SEGMENT_LENGTH', 'INT', '400', 'detection.vfr.segment.target.length', VIDEO,
    'TARGET_SEGMENT_LENGTH for a variable frame rate.'],
  ['MIN_SEGMENT_LENGTH', 'INT', '20', 'detection.segment.minimum.length', VIDEO,
    'Add a shorter rest to the segment before it.'],
  ['VFR_MIN_SEGMENT_LENGTH', 'INT', '40', 'detection.vfr.segment.minimum.length', VIDEO,
    'MIN_SEGMENT_LENGTH for a variable frame rate.'],
  ['SEGMENT_LENGTH_SPECIFICATION', 'STRING', 'FRAME', 'detection.segment.length.specification', VIDEO,
    'Unit of the segment lengths: FRAME or SECONDS.'],
];

// oxfmt-ignore
const TRACKS: readonly WorkflowPropertyRow[] = [
  ['QUALITY_SELECTION_PROPERTY', 'STRING', 'CONFIDENCE', 'detection.quality.selection.prop', ALL,
    'What ranks detections and tracks: CONFIDENCE or another property.'],
  ['QUALITY_SELECTION_THRESHOLD', 'DOUBLE', '-Infinity', 'detection.quality.selection.threshold', ALL,
    'Drop detections and tracks with a lower quality.'],
  ['EXEMPLAR_POLICY', 'STRING', 'QUALITY', '', VIDEO,
    'Which detection represents a track: FIRST, LAST, MIDDLE or QUALITY.'],
  ['MERGE_TRACKS', 'BOOLEAN', 'false', 'detection.video.track.merging.enabled', VIDEO,
    'Join tracks at the border of two segments.'],
  ['MIN_GAP_BETWEEN_TRACKS', 'INT', '2', 'detection.video.track.min.gap', VIDEO,
    'Join only tracks that are fewer frames apart.'],
  ['MIN_TRACK_LENGTH', 'INT', '1', 'detection.video.track.min.length', VIDEO,
    'Drop tracks that span fewer frames.'],
  ['MIN_OVERLAP', 'DOUBLE', '0.60', 'detection.video.track.overlap.threshold', VIDEO,
    'Least intersection over union of two joined boxes.'],
  ['MIN_DETECTION_WIDTH', 'INT', '1', 'detection.min.width', SEEN,
    'Drop boxes that are less than this many pixels wide.'],
  ['MIN_DETECTION_HEIGHT', 'INT', '1', 'detection.min.height', SEEN,
    'Drop boxes that are less than this many pixels high.'],
  ['MOVING_TRACK_LABELS_ENABLED', 'BOOLEAN', 'false', 'detection.moving.track.labels.enabled', VIDEO,
    'Add the property MOVING to tracks and detections.'],
  ['MOVING_TRACKS_ONLY', 'BOOLEAN', 'false', 'detection.moving.track.outputs.only', VIDEO,
    'Drop tracks that do not move; needs MOVING_TRACK_LABELS_ENABLED.'],
  ['MOVING_TRACK_MAX_IOU', 'DOUBLE', '0.70', 'detection.moving.track.max.iou', VIDEO,
    'A detection moves if its overlap with the average box is at most this.'],
  ['MOVING_TRACK_MIN_DETECTIONS', 'DOUBLE', '2', 'detection.moving.track.min.detections', VIDEO,
    'A track moves if so many detections do.'],
  ['DETECTION_PADDING_X', 'STRING', '0', 'detection.padding.x', SEEN,
    'Widen boxes on both sides, by pixels or percent.'],
  ['DETECTION_PADDING_Y', 'STRING', '0', 'detection.padding.y', SEEN,
    'Extend boxes at top and bottom, by pixels or percent.'],
  ['ROLL_UP_FILE', 'STRING', '', '', ALL,
    'JSON file that replaces property values by group names.'],
];

// oxfmt-ignore
const PICTURE: readonly WorkflowPropertyRow[] = [
  ['SEARCH_REGION_ENABLE_DETECTION', 'BOOLEAN', 'false', '', SEEN,
    'Analyze only the search region.'],
  ['SEARCH_REGION_TOP_LEFT_X_DETECTION', 'STRING', '-1', '', SEEN,
    'Left edge of the region in pixels or percent; -1: of the frame.'],
  ['SEARCH_REGION_TOP_LEFT_Y_DETECTION', 'STRING', '-1', '', SEEN,
    'Upper edge, in the same way.'],
  ['SEARCH_REGION_BOTTOM_RIGHT_X_DETECTION', 'STRING', '-1', '', SEEN,
    'Right edge, in the same way.'],
  ['SEARCH_REGION_BOTTOM_RIGHT_Y_DETECTION', 'STRING', '-1', '', SEEN,
    'Lower edge, in the same way.'],
  ['ROTATION', 'DOUBLE', '0.0', '', SEEN,
    'Degrees by which the medium is turned clockwise.'],
  ['HORIZONTAL_FLIP', 'BOOLEAN', 'false', '', SEEN,
    'Mirror the medium left to right, after the rotation.'],
  ['AUTO_ROTATE', 'BOOLEAN', 'true', '', SEEN,
    'Use the rotation in the metadata of the medium.'],
  ['AUTO_FLIP', 'BOOLEAN', 'true', '', SEEN,
    'Use the mirroring in the metadata of the medium.'],
  ['ROTATION_THRESHOLD', 'DOUBLE', '1.0', 'detection.rotation.threshold', SEEN,
    'Ignore rotations by fewer degrees.'],
  ['ROTATION_FILL_COLOR', 'STRING', 'BLACK', 'detection.rotation.fill.color', SEEN,
    'Colour of empty corners: BLACK or WHITE.'],
];

// oxfmt-ignore
const TRAFFIC: readonly WorkflowPropertyRow[] = [
  ['COMPONENT_HTTP_RETRY_MAX_ATTEMPTS', 'INT', '10', 'detection.http.retry.max.attempts', ALL,
    'Attempts of a component at a request to another server.'],
  ['COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS', 'INT', '200', 'detection.http.retry.initial.delay.ms', ALL,
    'Milliseconds before the second attempt; the wait doubles each time.'],
  ['COMPONENT_HTTP_RETRY_MAX_DELAY_MS', 'INT', '30000', 'detection.http.retry.max.delay.ms', ALL,
    'Longest wait between two attempts, in milliseconds.'],
  ['CALLBACK_ADD_TOKEN', 'BOOLEAN', 'false', 'http.callback.add.token', ALL,
    'Send a token of the service with callbacks.'],
  ['REMOTE_MEDIA_ADD_TOKEN', 'BOOLEAN', 'false', 'remote.media.add.token', ALL,
    'Send a token of the service to fetch media.'],
  ['S3_ADD_TOKEN', 'BOOLEAN', 'false', 's3.add.token', ALL,
    'Not supported: true is refused.'],
  ['ARCHIVE_ADD_TOKEN', 'BOOLEAN', 'false', 'archive.add.token', ALL,
    'Send a token of the service to the archive.'],
  ['ARCHIVE_URL', 'STRING', '', 'archive.url', ALL,
    'Archive that is asked before a job and gets its summary.'],
  ['SKIP_ARCHIVE_CHECK', 'BOOLEAN', 'false', 'archive.skip.check', ALL,
    'Do not ask the archive for an equal job.'],
  ['S3_ACCESS_KEY', 'STRING', '', 's3.access.key', ALL, 'Access key for buckets.'],
  ['S3_SECRET_KEY', 'STRING', '', 's3.secret.key', ALL, 'Secret key for buckets.'],
  ['S3_SESSION_TOKEN', 'STRING', '', 's3.session.token', ALL, 'Session token of temporary keys.'],
  ['S3_RESULTS_BUCKET', 'STRING', '', 's3.results.bucket', ALL,
    'Address of the bucket for results.'],
  ['S3_UPLOAD_ONLY', 'BOOLEAN', 'false', 's3.upload.only', ALL, 'Use the keys only for results.'],
  ['S3_REGION', 'STRING', 'us-east-1', 's3.region', ALL, 'Region of the bucket.'],
  ['S3_USE_VIRTUAL_HOST', 'BOOLEAN', 'false', 's3.use.virtual.host', ALL,
    'The bucket is in the host name, not in the path.'],
  ['S3_HOST', 'STRING', 's3.amazonaws.com', 's3.host', ALL, 'Host of the object store, with S3_USE_VIRTUAL_HOST.'],
  ['S3_UPLOAD_OBJECT_KEY_PREFIX', 'STRING', '', 's3.upload.object.key.prefix', ALL, 'Text before the key of each uploaded result.'],
  ['ARCHIVE_S3_COPY_ENABLED', 'BOOLEAN', 'true', 'archive.s3.copy.enabled', ALL,
    'Copy results of an earlier job into the bucket.'],
  ['ARCHIVE_COPY_SRC_S3_ACCESS_KEY', 'STRING', '', 'archive.copy.src.s3.access.key', ALL,
    'S3_ACCESS_KEY of the source of such copies, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_SECRET_KEY', 'STRING', '', 'archive.copy.src.s3.secret.key', ALL,
    'S3_SECRET_KEY of the source, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_SESSION_TOKEN', 'STRING', '', 'archive.copy.src.s3.session.token', ALL,
    'S3_SESSION_TOKEN of the source, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_REGION', 'STRING', '', 'archive.copy.src.s3.region', ALL,
    'S3_REGION of the source, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_USE_VIRTUAL_HOST', 'BOOLEAN', '', 'archive.copy.src.s3.use.virtual.host', ALL,
    'S3_USE_VIRTUAL_HOST of the source, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_HOST', 'STRING', '', 'archive.copy.src.s3.host', ALL,
    'S3_HOST of the source, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_UPLOAD_OBJECT_KEY_PREFIX', 'STRING', '', 'archive.copy.src.s3.upload.object.key.prefix', ALL,
    'S3_UPLOAD_OBJECT_KEY_PREFIX of the source, if it differs.'],
];

// oxfmt-ignore
const MEDIA: readonly WorkflowPropertyRow[] = [
  ['SOURCE_MEDIA_ONLY', 'BOOLEAN', 'false', '', ALL, 'Skip media that were derived from others.'],
  ['DERIVATIVE_MEDIA_ONLY', 'BOOLEAN', 'false', '', ALL, 'Skip media that the request names.'],
  ['SKIP_MEDIA_INSPECTION', 'BOOLEAN', 'false', '', ALL,
    'Skip the inspection even if the metadata is not complete.'],
  ['FFPROBE_IGNORE_STDERR', 'BOOLEAN', 'false', 'ffprobe.ignore.stderr', ALL, 'No warning for a truncated medium.'],
  ['FFPROBE_STDERR_NUM_LINES', 'INT', '5', 'ffprobe.stderr.num.lines', ALL, 'Kept for compatibility. Has no effect.'],
  ['MEDIA_SELECTORS_DELIMETER', 'STRING', '', 'media.selectors.delimeter', GENERIC,
    'Text between the selected text and its result; unset: replace it.'],
  ['MEDIA_SELECTORS_DUPLICATE_POLICY', 'STRING', 'LONGEST', 'media.selectors.duplicate.policy', GENERIC,
    'Which of several results to use: LONGEST, ERROR or JOIN.'],
  ['MEDIA_SELECTORS_NO_MATCHES_IS_ERROR', 'BOOLEAN', 'true', 'media.selectors.no.matches.is.error', GENERIC,
    'A selector that selects nothing fails the medium.'],
];

export const WORKFLOW_PROPERTY_ROWS: readonly WorkflowPropertyRow[] = [
  ...FEED_FORWARD,
  ...ARTIFACTS,
  ...SAMPLING,
  ...TRACKS,
  ...PICTURE,
  ...TRAFFIC,
  ...MEDIA,
];
