/** ServiceAccounts: every namespace has one named "default". */
import type { ServiceAccount } from '../../api/gen/types.ts';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import { isActiveNamespace, namespaceKeys } from './namespaced.ts';
import type { Reconciler } from './reconciler.ts';

const NAME = 'default';

/** Keys are namespaces. */
export function serviceAccountController(client: Client, informers: Informers): Reconciler {
	const namespaces = informers.get(NAMESPACES);
	const accounts = informers.get(SERVICE_ACCOUNTS, { fieldSelector: `metadata.name=${NAME}` });
	return {
		sources: [keysFrom(namespaces), keysFrom(accounts, namespaceKeys)],
		async reconcile(key, signal) {
			if (!isActiveNamespace(namespaces.lister.get(key)) || accounts.lister.get(`${key}/${NAME}`) !== undefined) return;
			const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: key, name: NAME } };
			await client.create(SERVICE_ACCOUNTS, account, { signal }).catch(ignore('AlreadyExists', 'NotFound'));
		},
	};
}
