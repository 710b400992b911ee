import type { Settings } from '../config/settings.ts';
import { MAX_ARCHIVED_DOCUMENT_BYTES } from '../protocol/media-work.ts';
import type { WantedPresence } from '../protocol/mqtt-message.ts';
import type { ArchiveFinding, ArchiveQuestion, BucketObject } from '../domain/types.ts';
import { REACH_SETTINGS } from './http/addresses.ts';
import { outgoingAgents } from './http/agent.ts';
import { findPastJob } from './archive.ts';
import { openArchivedDocument } from './archived-document.ts';
import { HttpClient } from './http/http-client.ts';
import { openPresence } from './mqtt-broker.ts';
import { isBroker, MqttSender } from './mqtt-send.ts';
import type { Send } from './request.ts';
import { createSend } from './send.ts';
import type { ServiceClient } from './provider-client.ts';
import { serviceToken } from './service-token.ts';

type Wanted = Pick<
  Settings,
  | 'CALLBACK_PRIVATE'
  | 'CALLBACK_ALLOWED_HOSTS'
  | 'CALLBACK_SECRETS'
  | 'ARCHIVE_CHECK_MS'
  | 'DELIVERY_TIMEOUT_MS'
>;

/** Requests that the server sends: callbacks, archive posts and archive queries. `version`: of the product. */
export function createOutgoing(settings: Wanted, client: ServiceClient, version: string) {
  const { CALLBACK_PRIVATE: allowPrivate, CALLBACK_ALLOWED_HOSTS: allowedHosts } = settings;
  const reach = { allowPrivate, allowedHosts, settings: REACH_SETTINGS };
  const agents = outgoingAgents(reach);
  const token = serviceToken(client);
  const timeoutMs = settings.DELIVERY_TIMEOUT_MS;
  const archives = new HttpClient(reach);
  const documents = {
    client: archives,
    version,
    timeoutMs,
    maxBytes: MAX_ARCHIVED_DOCUMENT_BYTES,
    reach,
  };
  const overHttp = createSend({ agents, token, timeoutMs, version, secrets: settings.CALLBACK_SECRETS });
  const brokers = new MqttSender({ reach, timeoutMs });
  const send: Send = (request, signal) => (isBroker(request) ? brokers.send : overHttp)(request, signal);
  return {
    send,
    present: (wanted: WantedPresence) => openPresence(wanted, { rule: reach, timeoutMs }),
    openArchived: ({ uri, object }: { readonly uri: string; readonly object: BucketObject | null }) =>
      openArchivedDocument(documents, uri, object),
    askArchive: (question: ArchiveQuestion): Promise<ArchiveFinding> =>
      findPastJob(question, { client: archives, token, version, timeoutMs: settings.ARCHIVE_CHECK_MS }),
    /** A token of the service. Undefined if none is available. */
    bearer: () => token.get().catch(() => undefined),
    close: async () => {
      agents.close();
      brokers.close();
      await archives.close();
    },
  };
}
