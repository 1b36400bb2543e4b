/** Fills secrets of type service-account-token, and removes those whose service account is gone (upstream's TokensController). */
import type { Secret, ServiceAccount } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { ACCOUNT_NAME, ACCOUNT_UID, TOKEN_SECRET_TYPE } from '../../../api/token-secret.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';
import { legacyToken } from './legacy-token.ts';

/** Keys are secrets. @param rootCa PEM; @param privateKey PEM */
export function serviceAccountTokens(client: Client, informers: Informers, rootCa: string, privateKey: string): Reconciler {
	const accounts = informers.get(SERVICE_ACCOUNTS);
	const secrets = informers.get(SECRETS, { fieldSelector: `type=${TOKEN_SECRET_TYPE}` });
	secrets.addIndex('account', (secret) => [accountKey(secret)]);
	const ofAccount = ({ before, after }: Change<ServiceAccount>): readonly Key[] => {
		const account = after ?? before;
		return account === undefined ? [] : secrets.lister.byIndex('account', keyOf(account)).map(keyOf);
	};
	/** A deleted secret is no longer named by its account. */
	const forgotten = new Map<Key, Secret>();
	const ofSecret = ({ before, after }: Change<Secret>): readonly Key[] => {
		if (after === undefined && before !== undefined) forgotten.set(keyOf(before), before);
		const secret = after ?? before;
		return secret === undefined ? [] : [keyOf(secret)];
	};

	async function fill(account: ServiceAccount, cached: Secret, signal: AbortSignal): Promise<void> {
		const { namespace = '' } = cached.metadata;
		if (isComplete(cached, rootCa)) return;
		const live = await client.get(SECRETS, keyOf(cached), { signal }).catch(ignore('NotFound'));
		if (live === undefined || live.metadata.resourceVersion !== cached.metadata.resourceVersion) return;
		const data = {
			...live.data,
			'ca.crt': encoded(rootCa),
			// Empty is as absent.
			namespace: live.data?.['namespace'] || encoded(namespace),
			token: live.data?.['token'] || encoded(await legacyToken(account, live, privateKey)),
		};
		const annotations = {
			...live.metadata.annotations,
			[ACCOUNT_NAME]: account.metadata.name ?? '',
			[ACCOUNT_UID]: account.metadata.uid ?? '',
		};
		await client
			.update(SECRETS, { ...live, metadata: { ...live.metadata, annotations }, data }, { signal })
			.catch(ignore('NotFound', 'Aborted'));
	}

	async function unlink(secret: Secret, signal: AbortSignal): Promise<void> {
		const account = accounts.lister.get(accountKey(secret));
		if (account?.secrets?.some(({ name }) => name === secret.metadata.name) !== true) return;
		const left = account.secrets.filter(({ name }) => name !== secret.metadata.name);
		await client.update(SERVICE_ACCOUNTS, { ...account, secrets: left }, { signal }).catch(ignore('NotFound'));
	}

	return {
		sources: [keysFrom(secrets, ofSecret), keysFrom(accounts, ofAccount)],
		async reconcile(key, signal) {
			const secret = secrets.lister.get(key);
			if (secret === undefined) {
				const gone = forgotten.get(key);
				if (gone !== undefined) await unlink(gone, signal);
				return void forgotten.delete(key);
			}
			forgotten.delete(key);
			const name = secret.metadata.annotations?.[ACCOUNT_NAME] ?? '';
			if (name === '') return;
			const wanted = secret.metadata.annotations?.[ACCOUNT_UID] ?? '';
			const isIts = (one: ServiceAccount | undefined): one is ServiceAccount =>
				one !== undefined && (wanted === '' || one.metadata.uid === wanted);
			let account = accounts.lister.get(accountKey(secret));
			// The cache may be behind: only what the server says is gone is gone.
			if (!isIts(account)) account = await client.get(SERVICE_ACCOUNTS, accountKey(secret), { signal }).catch(ignore('NotFound'));
			if (isIts(account)) return await fill(account, secret, signal);
			const { uid } = secret.metadata;
			await client.delete(SECRETS, key, { signal, ...(uid === undefined ? {} : { uid }) }).catch(ignore('NotFound', 'Aborted'));
		},
	};
}

function accountKey({ metadata }: Secret): Key {
	return `${metadata.namespace}/${metadata.annotations?.[ACCOUNT_NAME] ?? ''}`;
}

function isComplete({ data = {} }: Secret, rootCa: string): boolean {
	return data['ca.crt'] === encoded(rootCa) && (data['namespace'] ?? '') !== '' && (data['token'] ?? '') !== '';
}

function encoded(text: string): string {
	return Buffer.from(text).toString('base64');
}
