import { storedObjectReader } from '@kubewright/apiserver/internal';
import { planets, type TestServerOptions, widgets } from '../../../../apiserver/src/testdata/test-server.ts';
import { builtinDefinitions } from '../../kinds/index.ts';
import { defaultTolerationSeconds } from '../admission/default-toleration-seconds.ts';
import { priorityAdmission } from '../admission/priority.ts';
import { serviceAccountAdmission } from '../admission/service-account.ts';

export { type Answer, type Json, TestServer, widgets } from '../../../../apiserver/src/testdata/test-server.ts';

/** Options for a {@link TestServer} with all built-in kinds, widgets and planets. */
export const withBuiltinKinds: TestServerOptions = {
  definitions: ({ clock, random }) => [...builtinDefinitions({ clock, random }), widgets(), planets()],
  plugins({ storage, random }) {
    const read = storedObjectReader(storage);
    return [serviceAccountAdmission({ read, random }), priorityAdmission({ read, storage }), defaultTolerationSeconds];
  },
};
