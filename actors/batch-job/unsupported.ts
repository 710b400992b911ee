import type { PipelinePlan } from '../../pipeline/plan.ts';
import type { Properties } from '../../pipeline/types.ts';

/** What a property asks for when it has a value other than these; checked so that nothing is accepted and forgotten. */
const NOT_YET: Readonly<Record<string, { readonly feature: string; readonly harmless: readonly string[] }>> =
  {
    FEED_FORWARD_TYPE: { feature: 'feed forward', harmless: ['', 'NONE'] },
    FEED_FORWARD_ALL_TRACKS: { feature: 'feed forward', harmless: ['', 'FALSE'] },
    TRIGGER: { feature: 'triggers', harmless: [''] },
    ROLL_UP_FILE: { feature: 'roll-up', harmless: [''] },
    S3_RESULTS_BUCKET: { feature: 'result buckets', harmless: [''] },
    S3_ACCESS_KEY: { feature: 'media in buckets', harmless: [''] },
    S3_SECRET_KEY: { feature: 'media in buckets', harmless: [''] },
    ARTIFACT_EXTRACTION_POLICY: {
      feature: 'artifact extraction',
      harmless: ['', 'NONE', 'VISUAL_TYPES_ONLY'],
    },
    S3_ADD_TOKEN: { feature: 'media in buckets', harmless: ['', 'FALSE'] },
    SUPPRESS_TRACKS: { feature: 'suppressing tracks', harmless: ['', 'FALSE'] },
    IS_ANNOTATOR: { feature: 'annotators', harmless: ['', 'FALSE'] },
    DERIVATIVE_MEDIA_ONLY: { feature: 'derivative media', harmless: ['', 'FALSE'] },
    REMOTE_MEDIA_ADD_TOKEN: { feature: 'tokens for media requests', harmless: ['', 'FALSE'] },
  };

const ARTIFACTS = { feature: 'artifact extraction', harmless: [''] };

function askedBy(name: string): (typeof NOT_YET)[string] | undefined {
  if (Object.hasOwn(NOT_YET, name)) return NOT_YET[name];
  return name.startsWith('ARTIFACT_EXTRACTION_POLICY_') ? ARTIFACTS : undefined;
}

/** Why a job with these properties and this plan cannot be run yet; undefined when it can. */
export function unsupportedYet(plan: PipelinePlan, properties: readonly Properties[]): string | undefined {
  const markup = plan.tasks.find(({ actionType }) => actionType === 'MARKUP');
  if (markup !== undefined) return `Markup (task "${markup.name}") is not supported yet.`;
  const actions = plan.tasks.flatMap((task) => task.actions.map((action) => action.properties));
  for (const level of [...properties, ...actions])
    for (const [name, value] of Object.entries(level)) {
      const asked = askedBy(name);
      if (asked !== undefined && !asked.harmless.includes(value.trim().toUpperCase()))
        return `The ${name} property asks for ${asked.feature}, which is not supported yet.`;
    }
  return undefined;
}
