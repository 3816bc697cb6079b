import { access } from './access.mjs';
import { decoding } from './decoding.mjs';
import { crds } from './definitions.mjs';
import { patches } from './patches.mjs';
import { polluting } from './polluting.mjs';
import { reads } from './reads.mjs';
import { semantics } from './semantics.mjs';
import { transport } from './transport.mjs';

/** All tables. Each uses its own namespace and kinds. */
export const tables = { transport, decoding, polluting, semantics, patches, reads, crds, access };
