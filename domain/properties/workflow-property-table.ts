/**
 * The table of workflow properties: what any job, action, algorithm or medium may set without the algorithm declaring it.
 * A row is name, type, shipped default ('' is unset), key of the server property that may supply another default, media
 * types to which the default applies, and what the property does.
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
    'What a task uses of the tracks of the task before: NONE, FRAME, REGION or SUPERSET_REGION.'],
  ['FEED_FORWARD_ALL_TRACKS', 'BOOLEAN', 'false', '', TIMED,
    'Process all tracks of a medium in one sub-job, not one sub-job for each track.'],
  ['FEED_FORWARD_TOP_QUALITY_COUNT', 'INT', '0', '', VIDEO,
    'Feed only so many of the best detections of a track; 0 and less: all.'],
  ['FEED_FORWARD_BEST_DETECTION_PROP_NAMES_LIST', 'STRING', '', '', SEEN,
    'Detection properties, separated by ";": also feeds detections that have one.'],
  ['TRIGGER', 'STRING', '', '', ALL,
    'PROPERTY=VALUE1;VALUE2: feed only tracks whose property has one of the values.'],
  ['IS_ANNOTATOR', 'BOOLEAN', 'false', '', ALL,
    'Add properties to the fed tracks, in place of new tracks.'],
  ['SUPPRESS_TRACKS', 'BOOLEAN', 'false', '', ALL,
    "Leave the action's tracks out of the detection document."],
];

// oxfmt-ignore
const ARTIFACTS: readonly WorkflowPropertyRow[] = [
  ['OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY', 'BOOLEAN', 'false', 'output.objects.artifacts.and.exemplars.only', SEEN,
    'Keep only exemplars and extracted detections in the detection document.'],
  ['OUTPUT_DETAILS', 'BOOLEAN', 'false', 'output.objects.details', ALL,
    'Add effectiveProperties, paths and more to the detection document, and liveId to the reports of streams. Only jobProperties and the server can set it.'],
  ['ARTIFACT_EXTRACTION_POLICY', 'STRING', 'VISUAL_TYPES_ONLY', 'detection.artifact.extraction.policy', SEEN,
    'Which tracks get artifacts: NONE, VISUAL_TYPES_ONLY, ALL_TYPES or ALL_DETECTIONS.'],
  ['ARTIFACT_EXTRACTION_POLICY_CROPPING', 'BOOLEAN', 'true', 'detection.artifact.extraction.policy.cropping', SEEN,
    'Cut artifacts to the upright detection; false keeps the whole frame.'],
  ['ARTIFACT_EXTRACTION_POLICY_EXEMPLAR_FRAME_PLUS', 'INT', '0', 'detection.artifact.extraction.policy.exemplar.frame.plus', SEEN,
    'Extract so many detections before and after the exemplar; below 0, not even the exemplar.'],
  ['ARTIFACT_EXTRACTION_POLICY_FIRST_FRAME', 'BOOLEAN', 'false', 'detection.artifact.extraction.policy.first.frame', SEEN,
    'Extract the first detection of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_MIDDLE_FRAME', 'BOOLEAN', 'false', 'detection.artifact.extraction.policy.middle.frame', SEEN,
    'Extract the detection nearest to the middle of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_LAST_FRAME', 'BOOLEAN', 'false', 'detection.artifact.extraction.policy.last.frame', SEEN,
    'Extract the last detection of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_TOP_QUALITY_COUNT', 'INT', '0', 'detection.artifact.extraction.policy.top.quality.count', SEEN,
    'Extract so many of the best detections of each track.'],
  ['ARTIFACT_EXTRACTION_POLICY_BEST_DETECTION_PROP_NAMES_LIST', 'STRING', '', '', SEEN,
    'Detection properties, separated by ";": also extracts detections that have one.'],
];

// oxfmt-ignore
const SAMPLING: readonly WorkflowPropertyRow[] = [
  ['USE_KEY_FRAMES', 'BOOLEAN', 'false', '', VIDEO,
    'Analyze key frames only; FRAME_INTERVAL then counts key frames.'],
  ['FRAME_INTERVAL', 'INT', '1', 'detection.sampling.interval', VIDEO,
    'Analyze every n-th frame.'],
  ['FRAME_RATE_CAP', 'INT', '-1', 'detection.frame.rate.cap', VIDEO,
    'Analyze at most this many frames per second of video; 0 and less: no limit.'],
  ['MOTION_GATE', 'BOOLEAN', 'false', 'detection.stream.motion.gate', VIDEO,
    'Live streams only: analyze frames only while something moves, and for 1.5 seconds afterwards.'],
  ['RTSP_TRANSPORT', 'STRING', 'TCP', 'detection.stream.rtsp.transport', VIDEO,
    'Live streams only: transport of RTSP: TCP or UDP.'],
  ['MIN_GAP_BETWEEN_SEGMENTS', 'INT', '10', 'detection.segment.minimum.gap', VIDEO,
    'Process ranges of earlier tracks as one if they are at most this many frames apart.'],
  ['TARGET_SEGMENT_LENGTH', 'INT', '200', 'detection.segment.target.length', VIDEO,
    'Length of a sub-job of a video with a constant frame rate; 0 and less: the whole video.'],
  ['VFR_TARGET_SEGMENT_LENGTH', 'INT', '400', 'detection.vfr.segment.target.length', VIDEO,
    'The same for a variable frame rate.'],
  ['MIN_SEGMENT_LENGTH', 'INT', '20', 'detection.segment.minimum.length', VIDEO,
    'Add a shorter rest to the segment before it (constant frame rate).'],
  ['VFR_MIN_SEGMENT_LENGTH', 'INT', '40', 'detection.vfr.segment.minimum.length', VIDEO,
    'Add a shorter rest (variable frame rate).'],
  ['SEGMENT_LENGTH_SPECIFICATION', 'STRING', 'FRAME', 'detection.segment.length.specification', VIDEO,
    'Unit of the segment lengths: FRAME or SECONDS.'],
];

// oxfmt-ignore
const TRACKS: readonly WorkflowPropertyRow[] = [
  ['QUALITY_SELECTION_PROPERTY', 'STRING', 'CONFIDENCE', 'detection.quality.selection.prop', ALL,
    'What ranks detections and tracks: CONFIDENCE or a property with numbers.'],
  ['QUALITY_SELECTION_THRESHOLD', 'DOUBLE', '-Infinity', 'detection.quality.selection.threshold', ALL,
    'Drop detections and tracks with a lower quality.'],
  ['EXEMPLAR_POLICY', 'STRING', 'QUALITY', '', VIDEO,
    'Which detection represents a track: FIRST, LAST, MIDDLE or QUALITY.'],
  ['MERGE_TRACKS', 'BOOLEAN', 'false', 'detection.video.track.merging.enabled', VIDEO,
    'Join tracks that end and begin at the border of two segments.'],
  ['MIN_GAP_BETWEEN_TRACKS', 'INT', '2', 'detection.video.track.min.gap', VIDEO,
    'Merge only tracks that are fewer frames apart than this.'],
  ['MIN_TRACK_LENGTH', 'INT', '1', 'detection.video.track.min.length', VIDEO,
    'Drop tracks that span fewer frames.'],
  ['MIN_OVERLAP', 'DOUBLE', '0.60', 'detection.video.track.overlap.threshold', VIDEO,
    'Least intersection over union of two boxes at the border for merging their tracks.'],
  ['MIN_DETECTION_WIDTH', 'INT', '1', 'detection.min.width', SEEN,
    'Drop boxes that are less than this many pixels wide, before padding.'],
  ['MIN_DETECTION_HEIGHT', 'INT', '1', 'detection.min.height', SEEN,
    'Drop boxes that are less than this many pixels high, before padding.'],
  ['MOVING_TRACK_LABELS_ENABLED', 'BOOLEAN', 'false', 'detection.moving.track.labels.enabled', VIDEO,
    'Add the property MOVING, TRUE or FALSE, to tracks and their detections.'],
  ['MOVING_TRACKS_ONLY', 'BOOLEAN', 'false', 'detection.moving.track.outputs.only', VIDEO,
    'Drop tracks that do not move; needs MOVING_TRACK_LABELS_ENABLED.'],
  ['MOVING_TRACK_MAX_IOU', 'DOUBLE', '0.70', 'detection.moving.track.max.iou', VIDEO,
    'A detection moves if its intersection over union with the average box of its track is at most this.'],
  ['MOVING_TRACK_MIN_DETECTIONS', 'DOUBLE', '2', 'detection.moving.track.min.detections', VIDEO,
    'A track moves if at least so many of its detections do.'],
  ['DETECTION_PADDING_X', 'STRING', '0', 'detection.padding.x', SEEN,
    'Widen boxes on the left and the right, by pixels or percent; negative values narrow them.'],
  ['DETECTION_PADDING_Y', 'STRING', '0', 'detection.padding.y', SEEN,
    'Extend boxes at the top and the bottom, by pixels or percent; negative values shrink them.'],
  ['ROLL_UP_FILE', 'STRING', '', '', ALL,
    'JSON file that replaces property values by the name of their group.'],
];

// oxfmt-ignore
const PICTURE: readonly WorkflowPropertyRow[] = [
  ['SEARCH_REGION_ENABLE_DETECTION', 'BOOLEAN', 'false', '', SEEN,
    'Analyze only the search region.'],
  ['SEARCH_REGION_TOP_LEFT_X_DETECTION', 'STRING', '-1', '', SEEN,
    'Left edge of the search region in pixels or percent; 0 and less: the edge of the frame.'],
  ['SEARCH_REGION_TOP_LEFT_Y_DETECTION', 'STRING', '-1', '', SEEN,
    'Upper edge, in the same way.'],
  ['SEARCH_REGION_BOTTOM_RIGHT_X_DETECTION', 'STRING', '-1', '', SEEN,
    'Right edge, in the same way.'],
  ['SEARCH_REGION_BOTTOM_RIGHT_Y_DETECTION', 'STRING', '-1', '', SEEN,
    'Lower edge, in the same way.'],
  ['ROTATION', 'DOUBLE', '0.0', '', SEEN,
    'Degrees, from 0 up to 360, by which the medium is turned clockwise before detection.'],
  ['HORIZONTAL_FLIP', 'BOOLEAN', 'false', '', SEEN,
    'Mirror the medium left to right, after the rotation, before detection.'],
  ['AUTO_ROTATE', 'BOOLEAN', 'true', '', SEEN,
    'Use the rotation in the metadata of the medium.'],
  ['AUTO_FLIP', 'BOOLEAN', 'true', '', SEEN,
    'Use the mirroring in the metadata of the medium.'],
  ['ROTATION_THRESHOLD', 'DOUBLE', '1.0', 'detection.rotation.threshold', SEEN,
    'Ignore rotations by fewer degrees.'],
  ['ROTATION_FILL_COLOR', 'STRING', 'BLACK', 'detection.rotation.fill.color', SEEN,
    'Colour of the corners that a rotation leaves empty: BLACK or WHITE.'],
];

// oxfmt-ignore
const TRAFFIC: readonly WorkflowPropertyRow[] = [
  ['COMPONENT_HTTP_RETRY_MAX_ATTEMPTS', 'INT', '10', 'detection.http.retry.max.attempts', ALL,
    'Attempts of a component at a request to a server of its own.'],
  ['COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS', 'INT', '200', 'detection.http.retry.initial.delay.ms', ALL,
    'Milliseconds before the second attempt; the wait doubles each time.'],
  ['COMPONENT_HTTP_RETRY_MAX_DELAY_MS', 'INT', '30000', 'detection.http.retry.max.delay.ms', ALL,
    'Longest wait between two attempts, in milliseconds; a server can request a longer one.'],
  ['CALLBACK_ADD_TOKEN', 'BOOLEAN', 'false', 'http.callback.add.token', ALL,
    'Send a token of the service with callbacks.'],
  ['REMOTE_MEDIA_ADD_TOKEN', 'BOOLEAN', 'false', 'remote.media.add.token', ALL,
    'Send a token of the service when media are fetched.'],
  ['S3_ADD_TOKEN', 'BOOLEAN', 'false', 's3.add.token', ALL,
    'Not supported: true is refused.'],
  ['ARCHIVE_ADD_TOKEN', 'BOOLEAN', 'false', 'archive.add.token', ALL,
    'Send a token of the service to the archive.'],
  ['ARCHIVE_URL', 'STRING', '', 'archive.url', ALL,
    'Archive that is searched before a job and receives its summary afterwards.'],
  ['SKIP_ARCHIVE_CHECK', 'BOOLEAN', 'false', 'archive.skip.check', ALL,
    'Do not ask the archive for an equal job.'],
  ['S3_ACCESS_KEY', 'STRING', '', 's3.access.key', ALL, 'Access key for buckets.'],
  ['S3_SECRET_KEY', 'STRING', '', 's3.secret.key', ALL, 'Secret key for buckets.'],
  ['S3_SESSION_TOKEN', 'STRING', '', 's3.session.token', ALL, 'Session token of temporary keys.'],
  ['S3_RESULTS_BUCKET', 'STRING', '', 's3.results.bucket', ALL,
    'Address of the bucket for results; unset: they stay on the server.'],
  ['S3_UPLOAD_ONLY', 'BOOLEAN', 'false', 's3.upload.only', ALL, 'Use the keys for results only, not for fetching media.'],
  ['S3_REGION', 'STRING', 'us-east-1', 's3.region', ALL, 'Region of the bucket.'],
  ['S3_USE_VIRTUAL_HOST', 'BOOLEAN', 'false', 's3.use.virtual.host', ALL,
    'The bucket is in the host name, not in the path.'],
  ['S3_HOST', 'STRING', 's3.amazonaws.com', 's3.host', ALL, 'Host of the object store, with S3_USE_VIRTUAL_HOST.'],
  ['S3_UPLOAD_OBJECT_KEY_PREFIX', 'STRING', '', 's3.upload.object.key.prefix', ALL, 'Text before the key of each uploaded result.'],
  ['ARCHIVE_S3_COPY_ENABLED', 'BOOLEAN', 'true', 'archive.s3.copy.enabled', ALL,
    'Copy results of an earlier job into S3_RESULTS_BUCKET.'],
  ['ARCHIVE_COPY_SRC_S3_ACCESS_KEY', 'STRING', '', 'archive.copy.src.s3.access.key', ALL,
    'S3_ACCESS_KEY of the source of such copies, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_SECRET_KEY', 'STRING', '', 'archive.copy.src.s3.secret.key', ALL,
    'S3_SECRET_KEY of the source, if it differs.'],
  ['ARCHIVE_COPY_SRC_S3_SESSION_TOKEN', 'STRING', '', 'archive.copy.src.s3.session.token', ALL,
    'S3_SESSION_TOKEN of the source; unset: S3_SESSION_TOKEN, unless the access key differs.'],
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
  ['SOURCE_MEDIA_ONLY', 'BOOLEAN', 'false', '', ALL, 'The action skips media that were derived from others.'],
  ['DERIVATIVE_MEDIA_ONLY', 'BOOLEAN', 'false', '', ALL, 'The action skips media that the request named itself.'],
  ['SKIP_MEDIA_INSPECTION', 'BOOLEAN', 'false', '', ALL,
    'Skip the inspection even if the metadata of the request describes only a simpler kind of medium.'],
  ['FFPROBE_IGNORE_STDERR', 'BOOLEAN', 'false', 'ffprobe.ignore.stderr', ALL, 'No warning for a truncated medium.'],
  ['FFPROBE_STDERR_NUM_LINES', 'INT', '5', 'ffprobe.stderr.num.lines', ALL, 'Kept for compatibility. Has no effect.'],
  ['MEDIA_SELECTORS_DELIMETER', 'STRING', '', 'media.selectors.delimeter', GENERIC,
    'Keep the selected text, and put this between it and its result; unset: replace the text.'],
  ['MEDIA_SELECTORS_DUPLICATE_POLICY', 'STRING', 'LONGEST', 'media.selectors.duplicate.policy', GENERIC,
    'What to do with several results for one selected text: LONGEST, ERROR or JOIN.'],
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
