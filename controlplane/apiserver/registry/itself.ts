/** Who the server is where it writes by itself: upstream's loopback client. */
import type { UserInfo } from '../contracts.ts';

export const ITSELF: UserInfo = {
	...{ name: 'system:apiserver', uid: '', extra: {} },
	groups: ['system:masters', 'system:authenticated'],
};

/** What it is called in managedFields. */
export const OWN_MANAGER = 'kube-apiserver';
