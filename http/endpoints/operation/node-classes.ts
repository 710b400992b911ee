import { currentClasses, NODE_CLASSES } from '../../../actors/node-configuration/actor.ts';
import { withoutValues } from '../../../actors/node-configuration/model.ts';
import { textOf } from '../../../actors/runtime/machine.ts';
import { isAdmin, userOf } from '../../access/bearer.ts';
import { answerWith, json, ok, sentence } from '../../routing/declaration.ts';
import { HttpError } from '../../routing/errors.ts';
import { nodeClasses } from '../../schemas/nodes.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { FACES, type NodeDeps } from '../nodes.ts';

const TAG = 'Nodes and services';
const CLASSES = [{ name: 'gpu', services: [FACES] }];

/** Services of nodes that configure themselves (not in the specification). */
export const nodeClassEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/nodes/classes',
    id: 'getNodeClasses',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Show the services of each node class',
    description:
      'A node that is started with --class runs these services, unless the node configuration names its host. Until classes are saved, the only class is cpu, which runs every installed component on demand. Values of environment variables are shown to an ADMIN only.',
    answers: { 200: json('All node classes.', nodeClasses, CLASSES) },
    async handle({ ctx }, { nodes }: NodeDeps) {
      const { classes } = await currentClasses(nodes.classes);
      const shown = isAdmin(ctx) ? classes : withoutValues(classes);
      return ok(shown.map(({ host, services }) => ({ name: host, services })));
    },
  }),
  endpoint({
    method: 'post',
    path: '/rest/nodes/classes',
    id: 'saveNodeClasses',
    tag: TAG,
    caller: 'ADMIN',
    summary: 'Replace all node classes',
    description:
      'Connected nodes start and stop services for their changed class. Warning: this lets the caller run any command as the user of the nodes.',
    body: { schema: nodeClasses, noun: 'a list of node classes', example: CLASSES },
    answers: {
      201: json('They are stored.', nodeClasses, CLASSES),
      400: sentence('A class is invalid. The message says why.'),
    },
    async handle({ body, ctx }, { nodes, logger }: NodeDeps) {
      const classes = body.map(({ name, services }) => ({ host: name, services }));
      const reply = await nodes.classes.ask(NODE_CLASSES, { type: 'save', nodes: classes });
      if (reply.kind === 'refused') throw new HttpError('invalid-node-configuration', textOf(reply));
      logger.info({ user: userOf(ctx).name, classes: body.map(({ name }) => name) }, 'node classes saved');
      return answerWith(201, body);
    },
  }),
];
