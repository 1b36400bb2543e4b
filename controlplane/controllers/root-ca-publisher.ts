/** Root CA publisher: every namespace has the ConfigMap kube-root-ca.crt, by which pods trust the API server. */
import type { ConfigMap } from '../../api/gen/types.ts';
import { CONFIG_MAPS, NAMESPACES } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import { isActiveNamespace, namespaceKeys } from './namespaced.ts';
import type { Reconciler } from './reconciler.ts';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION_KEY = 'kubernetes.io/description';
const DESCRIPTION =
	'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Keys are namespaces. @param rootCa PEM */
export function rootCaPublisher(client: Client, informers: Informers, rootCa: string): Reconciler {
	const namespaces = informers.get(NAMESPACES);
	const published = informers.get(CONFIG_MAPS, { fieldSelector: `metadata.name=${NAME}` });
	return {
		sources: [keysFrom(namespaces), keysFrom(published, namespaceKeys)],
		async reconcile(key, signal) {
			if (!isActiveNamespace(namespaces.lister.get(key))) return;
			const present = published.lister.get(`${key}/${NAME}`);
			const data = { 'ca.crt': rootCa };
			if (present === undefined) {
				const made: ConfigMap = {
					apiVersion: 'v1',
					kind: 'ConfigMap',
					metadata: { namespace: key, name: NAME, annotations: { [DESCRIPTION_KEY]: DESCRIPTION } },
					data,
				};
				await client.create(CONFIG_MAPS, made, { signal }).catch(ignore('AlreadyExists', 'NotFound'));
				return;
			}
			const { annotations } = present.metadata;
			if (
				Object.keys(present.data ?? {}).length === 1 &&
				present.data?.['ca.crt'] === rootCa &&
				(annotations?.[DESCRIPTION_KEY] ?? '') !== ''
			)
				return;
			const metadata = { ...present.metadata, annotations: { ...annotations, [DESCRIPTION_KEY]: DESCRIPTION } };
			await client.update(CONFIG_MAPS, { ...present, metadata, data }, { signal }).catch(ignore('NotFound'));
		},
	};
}
