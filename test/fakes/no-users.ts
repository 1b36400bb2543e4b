/** Of a node on which no pod asks for users of its own, yet. */
import { defaultSpan, ID_UNIT } from '../../agent/users/id-range.ts';
import { UserNamespaces } from '../../agent/users/user-namespaces.ts';

export const NO_USERS = await UserNamespaces.open({ rootDir: '/nowhere', idsPerPod: ID_UNIT, maxPods: 110, span: defaultSpan(ID_UNIT) });
