/**
 * Download paths for clients that share no folder with the server, beside the `file:` URIs of a detection document. They are relative to
 * `/rest/jobs/<jobId of the document>/`.
 */

export const mediumHref = (mediaId: number): string => `media/${mediaId}`;
export const markupHref = (mediaId: number): string => `${mediumHref(mediaId)}/markup`;
export const selectorsOutputHref = (mediaId: number): string => `${mediumHref(mediaId)}/selectors-output`;

const ARTIFACT = /^file:.*\/artifacts\/[^/]+\/((?:\d+\/){4}frame-\d+(?:-\d+)?\.png)$/;

/** Null if the picture is not on the server. */
export function artifactHref(uri: string | null): string | null {
  const end = uri === null ? undefined : ARTIFACT.exec(uri)?.[1];
  return end === undefined ? null : `artifacts/${end}`;
}

interface WithArtifact {
  readonly artifactPath?: string | null;
}

/** The JSON of a track whose detections have the paths of their pictures. */
export function withArtifactHrefs(line: string): string {
  // Few tracks have pictures. The others pass unchanged.
  if (!line.includes('"artifactPath":"file:')) return line;
  const track = JSON.parse(line) as { exemplar: WithArtifact; detections: readonly WithArtifact[] };
  const linkDetection = (detection: WithArtifact) => {
    const href = artifactHref(detection.artifactPath ?? null);
    return href === null ? detection : { ...detection, artifactHref: href };
  };
  return JSON.stringify({
    ...track,
    exemplar: linkDetection(track.exemplar),
    detections: track.detections.map(linkDetection),
  });
}
