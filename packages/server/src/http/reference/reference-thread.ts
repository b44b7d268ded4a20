import { parentPort, workerData } from 'node:worker_threads';
import { type AsyncApiOptions, asyncApiDocument } from '@granary/contract/reference/asyncapi';
import { GUIDE_EXAMPLES } from '@granary/contract/reference/message-schemas';
import { openApiDocument } from '@granary/contract/reference/openapi';
import { lowerPriority } from '../../process/lower-priority.ts';

/** The document that is to be made, with the values of this service that it contains. */
export type ReferenceJob =
  | { readonly openApi: Parameters<typeof openApiDocument>[0] }
  | { readonly asyncApi: Omit<AsyncApiOptions, 'examples'> };

lowerPriority();
const job = workerData as ReferenceJob;
const document =
  'openApi' in job
    ? openApiDocument(job.openApi)
    : asyncApiDocument({ ...job.asyncApi, examples: GUIDE_EXAMPLES });
parentPort?.postMessage(JSON.stringify(document));
