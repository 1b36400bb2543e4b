/** Bootstrap tokens: they sign the cluster's public information, by which joining nodes know it, and go when their time is over. */
import { keyOf } from '../../../api/resource.ts';
import { CONFIG_MAPS, SECRETS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';
import { detachedSignature, signingToken, TOKEN_TYPE, tokenEnds } from './tokens.ts';

const TOKENS = { namespace: 'kube-system', fieldSelector: `type=${TOKEN_TYPE}` };
const INFORMATION = { namespace: 'kube-public', fieldSelector: 'metadata.name=cluster-info' };
const PREFIX = 'jws-kubeconfig-';

/** The one key is the ConfigMap kube-public/cluster-info. */
export function bootstrapSigner(client: Client, informers: Informers, clock: Clock): Reconciler {
	const tokens = informers.get(SECRETS, TOKENS);
	const information = informers.get(CONFIG_MAPS, INFORMATION);
	return {
		sources: [keysFrom(information), keysFrom(tokens, () => ['kube-public/cluster-info'])],
		async reconcile(key, signal) {
			const map = information.lister.get(key);
			const content = map?.data?.['kubeconfig'];
			if (map === undefined || content === undefined) return;
			const now = clock.now();
			const signing = tokens.lister.list().flatMap((secret) => signingToken(secret, now) ?? []);
			const kept = Object.entries(map.data ?? {}).filter(([name]) => !name.startsWith(PREFIX));
			const wanted = Object.fromEntries([
				...kept,
				...signing.map((token) => [PREFIX + token.id, detachedSignature(content, token)] as const),
			]);
			const same =
				Object.keys(wanted).length === Object.keys(map.data ?? {}).length &&
				Object.entries(wanted).every(([name, value]) => map.data?.[name] === value);
			if (!same) await client.update(CONFIG_MAPS, { ...map, data: wanted }, { signal }).catch(ignore('NotFound'));
		},
	};
}

/** Keys are the tokens' secrets. */
export function tokenCleaner(client: Client, informers: Informers, clock: Clock): Reconciler {
	const tokens = informers.get(SECRETS, TOKENS);
	return {
		sources: [keysFrom(tokens)],
		async reconcile(key, signal) {
			const secret = tokens.lister.get(key);
			const ends = secret === undefined ? undefined : tokenEnds(secret);
			if (secret === undefined || ends === undefined) return;
			const leftMs = ends - clock.now();
			if (leftMs > 0) return { afterMs: leftMs };
			const { uid } = secret.metadata;
			await client.delete(SECRETS, keyOf(secret), { signal, ...(uid === undefined ? {} : { uid }) }).catch(ignore('NotFound', 'Aborted'));
		},
	};
}
